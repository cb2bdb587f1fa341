/**
 * The jars of Temporal's time-skipping test server (decision 0065), which Maven puts into our cache by pom.xml. Only jars that
 * jars.sha256 names are given out, and only with the hash that it lists. Set-up and the engine tests use this module.
 */
const { spawnSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } = require('node:fs');
const { join } = require('node:path');

const POM = join(__dirname, 'pom.xml');
const LIST = join(__dirname, 'jars.sha256');
const MAVEN_MS = 9 * 60_000;

/** The folder of exactly these jars, whether it exists or not: other jars have another folder. */
function jarsFolder(cacheFolder) {
  return join(cacheFolder, 'time-server', sha256(LIST).slice(0, 16));
}

/** Why the server is not available here, with what to do; null: it is available. */
function whyNoTimeServer(cacheFolder, onPath) {
  if (!onPath('java')) return 'there is no Java: install it (apt-get install openjdk-17-jre-headless)';
  if (existsSync(jarsFolder(cacheFolder)) || onPath('mvn')) return null;
  return 'its jars are not there, and no Maven to fetch them: install it (apt-get install maven)';
}

/** Paths of the jars. @throws Error for a jar that is missing, or not the one that jars.sha256 names */
function verifiedJars(folder) {
  const lines = readFileSync(LIST, 'utf8').trimEnd().split('\n');
  return lines.map((line) => {
    const [hash, name] = line.split('  ');
    const path = join(folder, name);
    if (!existsSync(path)) throw new Error(`There is no ${name} in ${folder}: delete the folder, and it is made again.`);
    const found = sha256(path);
    if (found !== hash)
      throw new Error(
        `${path} has the SHA-256 ${found}, not ${hash} (${LIST}): it is not started. Delete the folder, and it is made again.`,
      );
    return path;
  });
}

/**
 * Lets Maven fetch the jars if they are missing: about a minute, 33 MB.
 * @throws Error when Maven fails, or brings other jars
 */
async function makeJars(cacheFolder, say) {
  const { withLock } = await import('../lib/lock.mjs');
  const waits = (holder) => say(`waiting for the jars of the time-skipping server (process ${holder}) …`);
  await withLock(join(cacheFolder, 'time-server', 'lock'), waits, async () => fetchJars(jarsFolder(cacheFolder), say));
}

function fetchJars(folder, say) {
  if (existsSync(folder)) return;
  say('fetching the jars of the time-skipping server with Maven, about a minute …');
  const fresh = `${folder}.${process.pid}`;
  try {
    mkdirSync(fresh, { recursive: true });
    cpSync(POM, join(fresh, 'pom.xml'));
    const goal = ['dependency:copy-dependencies', '-DoutputDirectory=jars', '-DincludeScope=runtime'];
    const ran = spawnSync('mvn', ['-q', '-B', ...goal], { cwd: fresh, encoding: 'utf8', timeout: MAVEN_MS });
    if (ran.status !== 0) throw new Error(`Maven failed: ${ran.error?.message ?? `${ran.stdout}${ran.stderr}`.slice(-2000)}`);
    verifiedJars(join(fresh, 'jars'));
    renameSync(join(fresh, 'jars'), folder);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

function sha256(path) {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}

module.exports = { jarsFolder, makeJars, verifiedJars, whyNoTimeServer };
