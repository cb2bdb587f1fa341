/**
 * A project of create-holdfast on a server, by the commands of its README: Temporal, PostgreSQL, a worker and the gateway come up, and a
 * payment is made once, after a person approved it. `.ci/containers` runs this.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TurnView } from '../../src/shared/turn/turn-view';
import { npm, pack, unpackCreator } from '../system/e2e/pack-project';
import { ask, ComposeProject, containersHost, eventually, GATEWAY, say } from './support/compose-project';

const ROOT = join(__dirname, '../..');
const MINUTES = 60_000;

let project: ComposeProject;
/** Serves the packed package, which no registry has, to npm and to the build of the image. */
let packages: Server;

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-template-'));
  npm(['run', 'build'], ROOT);
  const [holdfast] = pack(folder, '.');
  execFileSync(process.execPath, [unpackCreator(folder), 'agent', '--template', 'payables'], { cwd: folder });
  const tarball = readFileSync(holdfast!.tarball);
  packages = createServer((_, response) => response.end(tarball)).listen(0, '0.0.0.0');
  await new Promise((resolve) => packages.once('listening', resolve));

  project = ComposeProject.at(join(folder, 'agent'));
  const file = join(project.folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as { dependencies: Record<string, string> };
  const { port } = packages.address() as AddressInfo;
  manifest.dependencies.holdfast = `http://${containersHost()}:${port}/holdfast.tgz`;
  writeFileSync(file, JSON.stringify(manifest));
  await project.run('npm', ['install', '--no-audit', '--no-fund']); // this process serves the package meanwhile
}, 10 * MINUTES);

afterAll(async () => {
  await project?.remove();
  packages?.close();
}, 5 * MINUTES);

it(
  'a payment waits, is approved with a token, and is made once',
  async () => {
    const settings = ['POSTGRES_PASSWORD=a-password-of-a-test'];
    const write = () => writeFileSync(join(project.folder, '.env'), settings.map((line) => `${line}\n`).join(''));
    write();
    const began = Date.now();
    const [approver, starter] = [await project.token('ana', 'approver'), await project.token('backend', 'starter')];
    settings.push(`HOLDFAST_TOKENS=${JSON.stringify([approver.entry, starter.entry])}`);
    write();
    await project.compose('up', '--detach', '--build');
    // Docker takes connections before the gateway does, and closes them: a request of Node may then wait for ever.
    const answers = async () => (await fetch(`${GATEWAY}/healthz`, { signal: AbortSignal.timeout(5000) })).ok;
    await eventually('the gateway answers', answers);
    say(`the template is up: ${Date.now() - began} ms`);

    const message = 'Pay 70000 cents for INV-7.';
    const request = { agent: 'payables', message };
    const { turn_id } = await ask<{ turn_id: string }>(starter.token, '/v1/turns', request, 'pay-INV-7');
    const viewed = () => ask<TurnView>(approver.token, `/v1/turns/${turn_id}`);
    const call = await eventually('the payment waits', async () => (await viewed()).pending[0]);
    expect(await ledger()).toEqual([]);
    await ask(approver.token, `/v1/turns/${turn_id}/decisions`, { decision: 'approve', call });
    const { state, calls } = await eventually('the turn ends', async () => {
      const view = await viewed();
      return view.ended_at !== null && view;
    });
    expect({ state, effects: calls.map(({ tool, effect }) => [tool, effect]) }).toEqual({
      state: 'completed',
      effects: expect.arrayContaining([['pay_invoice', 'applied']]),
    });
    expect(await ask(starter.token, '/v1/turns', request, 'pay-INV-7')).toMatchObject({ turn_id });
    expect(await ledger()).toEqual(['INV-7']);
  },
  20 * MINUTES,
);

/** The references of the transfers that the bank of the template has. */
async function ledger(): Promise<string[]> {
  const show = 'cat /var/lib/holdfast/ledger.jsonl 2>/dev/null || true';
  const lines = (await project.compose('exec', '-T', 'worker', 'sh', '-c', show)).split('\n').filter((line) => line !== '');
  return lines.map((line) => (JSON.parse(line) as { reference: string }).reference);
}
