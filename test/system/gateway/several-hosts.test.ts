/** Gateways and workers as processes, each host with a home folder of its own, over one store that all of them share. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SigningKey } from '../../../src/attestation/signing-key';
import { readTrustedKeys } from '../../../src/attestation/trusted-keys';
import { eventually, testAddress } from '../../engine/support/engine';
import { environment, run as runHere, type Ran } from '../../support/command-line';
import { person } from '../../support/gateway';
import { holdfast } from '../support/process';

const APP = join(__dirname, '../cli/fixtures/call.app.ts');
const rita = person('rita', 'starter');
const ana = person('ana', 'approver');

interface Hosts {
  /** A home folder; its processes find the others by store, task queue and Temporal alone. */
  host(name: string): {
    home: string;
    run(args: string[], env?: NodeJS.ProcessEnv): ReturnType<typeof holdfast>;
    /** A command that ends by itself. */
    command(...args: string[]): Promise<Ran>;
  };
}

async function hosts(body: (hosts: Hosts) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-hosts-'));
  const started: ReturnType<typeof holdfast>[] = [];
  const shared = {
    TEMPORAL_ADDRESS: testAddress(),
    HOLDFAST_APPROVALS: 'attested',
    HOLDFAST_STORE: `file:${join(folder, 'store')}`,
    HOLDFAST_TASK_QUEUE: `hosts-${randomBytes(6).toString('hex')}`,
    HOLDFAST_TOKENS: JSON.stringify([rita.entry, ana.entry]),
    HOLDFAST_LOG_LEVEL: 'error',
  };
  try {
    await body({
      host: (name) => {
        const home = join(folder, name);
        const run = (args: string[], env: NodeJS.ProcessEnv = {}) => {
          const process = holdfast(home, args, { ...shared, ...env });
          started.push(process);
          return process;
        };
        const command = (...args: string[]) => runHere(args, environment({ ...shared, HOLDFAST_HOME: home }));
        return { home, run, command };
      },
    });
  } finally {
    await Promise.all(started.map((process) => process.stop()));
    await rm(folder, { recursive: true, force: true });
  }
}

const gatewayUrl = async (gateway: ReturnType<typeof holdfast>) =>
  (await gateway.printed(/(http:\/\/127\.\d+\.\d+\.\d+:\d+);/))[1]!;

it(
  'gateways that start at once on an empty home sign with one key, which is trusted',
  () =>
    hosts(async ({ host }) => {
      const { home, run } = host('a');
      await Promise.all([1, 2, 3].map(() => gatewayUrl(run(['gateway', '--http-port', '0']))));
      const { kid } = await SigningKey.read(join(home, 'keys', 'gateway.pem'));
      expect(await readTrustedKeys(join(home, 'keys', 'trusted.json'))).toMatchObject([{ kid, use: 'gateway' }]);
    }),
  120_000,
);

it(
  'a worker on another host refuses what a gateway signs until it is told to trust its key: the refusal and doctor say how',
  () =>
    hosts(async ({ host }) => {
      const [a, b] = [host('a'), host('b')];
      const gateway = a.run(['gateway', '--app', APP, '--http-port', '0'], { HOLDFAST_HTTP_HOST: '127.0.0.1' });
      const url = await gatewayUrl(gateway);
      expect(await b.command('keys', 'create', '--principal', 'bob')).toMatchObject({ code: 0 });
      const worker = b.run(['worker', '--app', APP]);
      await worker.printed(/task queue/);
      const post = async (path: string, who: typeof ana, body: object) => {
        const headers = { ...who.headers, 'content-type': 'application/json' };
        const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
        return { status: response.status, body: (await response.json()) as any };
      };
      const pay = () => post('/tools/pay', rita, { input: { size: 7 } });
      const { kid } = await SigningKey.read(join(a.home, 'keys', 'gateway.pem'));
      const refused = await pay();
      expect(refused.body.error.message).toMatch(new RegExp(`key ${kid} is not trusted here: .*each worker .*Several hosts`));

      const doctor = await b.command('doctor');
      const [, command] = /! gateways .*`holdfast (keys export [0-9a-f]{16})`.*`holdfast keys import`/.exec(doctor.stdout)!;
      expect(command).toBe(`keys export ${kid}`);
      const exported = await a.command(...command!.split(' '));
      expect(exported.code).toBe(0);
      const file = join(b.home, 'of-a.json');
      await writeFile(file, exported.stdout);
      expect(await b.command('keys', 'import', file)).toMatchObject({ code: 0 });
      expect(await readTrustedKeys(join(b.home, 'keys', 'trusted.json'))).toMatchObject([{ principal: 'bob' }, { kid }]);

      const { status, body: call } = await pay();
      expect(status).toBe(202);
      const approved = await post(call.decisions_url, ana, { decision: 'approve', call: call.pending[0] });
      expect(approved.status).toBe(200);
      await eventually('it is paid', async () => {
        const view = (await (await fetch(url + call.view_url, { headers: rita.headers })).json()) as any;
        return view.state === 'completed';
      });
      expect((await b.command('doctor')).stdout).not.toContain('! gateways');
    }),
  240_000,
);
