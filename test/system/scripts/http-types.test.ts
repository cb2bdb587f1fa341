import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newCheckout } from './support/new-checkout';
import { withModule } from './support/run-module';

const TYPES = 'src/http-client/schema.ts';

/** A checkout of this source, without the types, and with those dependencies of this one whose name is not left out. */
function checkout(without: string): string {
  const names = ['scripts', 'src', 'package.json', 'package-lock.json', 'tsconfig.json', '.oxfmtrc.json'];
  const root = newCheckout(names, (entry) => entry.startsWith('.') || entry === without);
  rmSync(join(root, TYPES), { force: true });
  return root;
}

describe('the types of the HTTP API', () => {
  let root: string;
  afterEach(() => rmSync(root, { recursive: true, force: true }));
  const path = (name: string) => join(root, name);
  const isGenerated = () => withModule<boolean>('http-types.mjs', 'return lib.isGenerated(input)', root);
  const generate = (...args: string[]) => {
    const { status, stderr } = spawnSync(process.execPath, [path('scripts/generate-http-client.mjs'), ...args], {
      encoding: 'utf8',
    });
    return { status, stderr: stderr.replace(/^npm warn.*$/gm, '').trim() };
  };

  it('are generated without a build, and again only when a source of the routes has changed, or they have', () => {
    root = checkout('');
    expect(isGenerated()).toBe(false);
    expect(generate('--after-install')).toEqual({ status: 0, stderr: '' });
    expect(isGenerated()).toBe(true);
    const text = readFileSync(path(TYPES), 'utf8');
    expect(text).toContain("'/v1/turns/{id}/decisions': {");

    const made = statSync(path(TYPES)).mtimeMs;
    writeFileSync(path('src/http-client/other.ts'), 'export {};\n');
    expect(generate()).toEqual({ status: 0, stderr: '' });
    expect(statSync(path(TYPES)).mtimeMs).toBe(made);

    writeFileSync(path(TYPES), `${text}// edited\n`);
    expect(isGenerated()).toBe(false);
    const route = path('src/gateway/routes/decisions.ts');
    writeFileSync(route, readFileSync(route, 'utf8').replaceAll('/decisions', '/verdicts'));
    expect(generate()).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(path(TYPES), 'utf8')).toContain("'/v1/turns/{id}/verdicts': {");
    expect(readFileSync(path(TYPES), 'utf8')).not.toContain('// edited');

    writeFileSync(route, `${readFileSync(route, 'utf8')}\n`);
    expect(isGenerated()).toBe(false);
  });

  it('stop no installation without development dependencies', () => {
    root = checkout('openapi-typescript');
    expect(generate('--after-install')).toEqual({ status: 0, stderr: '' });
    expect(existsSync(path(TYPES))).toBe(false);
    expect(generate().status).toBe(1);
  });
});
