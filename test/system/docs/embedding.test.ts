/** docs/embedding.md, type-checked and run as it is written, against a Temporal server of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { environment } from '../cli/support/cli';
import { pageOf, ROOT } from '../../support/named-tests';

jest.setTimeout(120_000);

const page = pageOf('embedding.md');
const files = [...page.matchAll(/^```ts\n(\/\/ ([\w.]+)\n.*?)^```$/gms)].map(([, text, name]) => ({ name: name!, text: text! }));
const printed = /It prints\n\n```\n(.*?)^```$/ms.exec(page)![1]!;

describe('docs/embedding.md', () => {
  let folder: string;
  let server: DevServer;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'holdfast-embedding-'));
    for (const { name, text } of files) writeFileSync(join(folder, name), text);
    // As `npm install holdfast zod` installs it.
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(ROOT, join(folder, 'node_modules/holdfast'));
    for (const name of ['zod', '@temporalio', '@types'])
      symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
    writeFileSync(join(folder, 'package.json'), '{"private":true}');
    server = await startDevServer({ cli: (await findTemporalCli()).path, port: 0, headless: true });
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('has four files, and its types are right', () => {
    expect(files.map(({ name }) => name)).toEqual(['model.ts', 'store.ts', 'telling.ts', 'program.ts']);
    const options = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022', '--types', 'node'];
    execFileSync(join(ROOT, 'node_modules/.bin/tsc'), [...options, 'program.ts'], { cwd: folder, stdio: 'inherit' });
  });

  it('prints the output that the page shows', () => {
    const env = environment({ TEMPORAL_ADDRESS: server.address, TEMPORAL_NAMESPACE: server.namespace, HOLDFAST_HOME: folder });
    const { stdout, stderr, status } = spawnSync(join(ROOT, 'node_modules/.bin/tsx'), ['program.ts'], {
      cwd: folder,
      env,
      encoding: 'utf8',
      timeout: 90_000,
    });
    expect({ stdout, status, stderr: status === 0 ? '' : stderr }).toEqual({ stdout: printed, status: 0, stderr: '' });
  });
});
