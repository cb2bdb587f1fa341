/** The jars of the time-skipping server: only those of the list are used. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { ROOT, withModule } from './support/run-module';

const FIRST = readFileSync(join(ROOT, 'scripts', 'time-server', 'jars.sha256'), 'utf8').split(/\s+/)[1]!;

describe('the jars of the time-skipping server', () => {
  let cache: string;
  beforeEach(() => (cache = mkdtempSync(join(tmpdir(), 'holdfast-jars-'))));
  afterEach(() => rmSync(cache, { recursive: true, force: true }));

  const ask = <T>(body: string) => withModule<T>('../time-server/jars.cjs', body, cache);
  const folder = () => ask<string>('return lib.default.jarsFolder(input);');
  const faultOf = (call: string) =>
    ask<string>(`try { await lib.default.${call}; return 'none'; } catch (error) { return error.message; }`);

  it('are handed out only with their hashes', () => {
    const jars = folder();
    mkdirSync(jars, { recursive: true });
    expect(faultOf('verifiedJars(lib.default.jarsFolder(input))')).toContain(`There is no ${FIRST}`);
    writeFileSync(join(jars, FIRST), 'something else');
    expect(faultOf('verifiedJars(lib.default.jarsFolder(input))')).toMatch(/has the SHA-256 [0-9a-f]{64}, not .*is not started/);
  });

  it('are not kept if Maven brings other files, or fails', () => {
    const before = process.env.PATH;
    const mvn = join(cache, 'mvn');
    process.env.PATH = [cache, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    try {
      for (const [does, fault] of [
        [`mkdir jars && echo other > jars/${FIRST}`, 'is not started'],
        ['echo no network >&2; exit 1', 'Maven failed: no network'],
      ] as const) {
        writeFileSync(mvn, `#!/bin/sh\n${does}\n`);
        chmodSync(mvn, 0o755);
        expect(faultOf('makeJars(input, () => undefined)')).toContain(fault);
        expect(existsSync(folder())).toBe(false);
        expect(readdirSync(join(cache, 'time-server'))).toEqual([]);
      }
    } finally {
      process.env.PATH = before;
    }
  });

  it('are used if there is Java, and Maven or a folder of them; else it says what to install', () => {
    const why = (...present: string[]) =>
      ask<string | null>(`return lib.default.whyNoTimeServer(input, (name) => ${JSON.stringify(present)}.includes(name));`);
    expect(why('mvn')).toContain('openjdk-17-jre-headless');
    expect(why('java')).toContain('apt-get install maven');
    expect(why('java', 'mvn')).toBeNull();
    mkdirSync(folder(), { recursive: true });
    expect(why('java')).toBeNull();
  });
});
