/** Adds lock file entries for optional packages of other platforms: see complete-lock.mjs. */

const OS = ['aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony', 'sunos', 'win32'];
const CPU = ['arm', 'arm64', 'ia32', 'loong64', 'mips64el', 'ppc64', 'riscv64', 's390x', 'wasm32', 'x64'];
/** Processor names that npm's `cpu` field writes differently. */
const ALSO_CALLED = { amd64: 'x64' };
const EXACT = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/;

/**
 * Adds an entry for each optional dependency that has no entry, but an exact version and a platform in its name.
 * @param {object} lock a package-lock.json of version 3; changed in place
 * @returns {string[]} names of the packages that were added
 */
export function complete(lock) {
  const added = [];
  for (const parent of Object.values(lock.packages)) {
    for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
      const platform = platformOf(name);
      const path = `node_modules/${name}`;
      if (lock.packages[path] || !platform || !EXACT.test(version)) continue;
      lock.packages[path] = inNpmsOrder({ version, ...platform, ...(parent.dev ? { dev: true } : {}), optional: true });
      added.push(name);
    }
  }
  const inOrder = Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en'));
  if (added.length > 0) lock.packages = Object.fromEntries(inOrder);
  return added;
}

/** Version first, then fields by name: npm writes this order, and does not rewrite a file that has it. */
function inNpmsOrder({ version, ...rest }) {
  return { version, ...Object.fromEntries(Object.entries(rest).sort(([a], [b]) => a.localeCompare(b, 'en'))) };
}

/** `@swc/core-linux-arm64-musl` → `{cpu: ['arm64'], os: ['linux']}`; null if the name contains no platform. */
export function platformOf(name) {
  const words = name.split(/[-/]/).map((word) => ALSO_CALLED[word] ?? word);
  const os = OS.filter((word) => words.includes(word));
  const cpu = CPU.filter((word) => words.includes(word));
  return cpu.length > 0 ? { cpu, ...(os.length > 0 ? { os } : {}) } : null;
}
