/**
 * docker-compose.yml as docs/deployment.md says to use it, in Docker: a clean checkout is built and started; a turn waits, is approved
 * and sends its mail once, also when its worker or a gateway is killed, when a new version is deployed, when keys are rotated, and when
 * everything is deleted and restored.
 * `.ci/containers` runs this.
 */
import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';
import { parse, stringify } from 'yaml';
import { ENCRYPTED_ENCODING, SEALED_BY } from '../../src/shared/wire/payload';
import type { TurnView } from '../../src/shared/turn/turn-view';
import { ask, ComposeProject, containersHost, eventually, GATEWAY, say, SERVICES } from './support/compose-project';

const WEB_UI = 'http://127.0.0.1:8233';
const PROMETHEUS = 'http://127.0.0.1:9090';
const MINUTES = 60_000;
/** The version to upgrade to. */
const NEXT_TEMPORAL = join(__dirname, '../../scripts/containers/next-temporal-version');
/** The compose project with the volumes into which a backup is restored. */
const RESTORED = 'restored';
const MAIL_USER = 'memos@bank.example';
const MAIL_PASSWORD = 'secret-of-the-mail-account';

let project: ComposeProject;
let mailServer: SMTPServer;
/** Each message that the mail server took, as it came. */
const mails: Buffer[] = [];
let starter: string;
let approver: string;
/** The header of a person with the password of the Web UI and Prometheus. */
let operator: { authorization: string };

beforeAll(async () => {
  const host = containersHost();
  project = await ComposeProject.checkOut({ ANTHROPIC_API_KEY: 'for-nothing', HOLDFAST_SMTP_PASS: MAIL_PASSWORD });
  mailServer = await startMailServer();
  await project.configure({
    HOLDFAST_MODEL: 'rehearsal',
    HOLDFAST_SMTP_HOST: host,
    HOLDFAST_SMTP_PORT: String((mailServer.server.address() as AddressInfo).port),
    HOLDFAST_SMTP_ALLOW_PLAIN: 'true',
    HOLDFAST_SMTP_USER: MAIL_USER,
    HOLDFAST_SMTP_FROM: MAIL_USER,
  });
  await project.compose('--project-name', RESTORED, 'down', '--volumes', '--timeout', '5'); // of a run that was killed
  operator = await operatorOf();
  const began = Date.now();
  await project.compose('build', 'worker');
  say(`the image is built: ${Date.now() - began} ms, ${await sizeOf('holdfast:0.1.0')} MB`);
  await project.up();
  [starter, approver] = [await token('rita', 'starter'), await token('ana', 'approver')];
  await project.compose('up', '--detach', '--force-recreate', '--no-deps', 'gateway', 'codec');
  await project.healthy();
}, 40 * MINUTES);

afterAll(async () => {
  await project?.remove();
  if (mailServer) await new Promise<void>((resolve) => mailServer.close(resolve));
}, 5 * MINUTES);

it(
  'a turn waits, is approved and sends its mail once',
  async () => {
    const turn = await startTurn('first@bank.example');
    const call = await waitingCall(turn);
    expect(await mailsTo('first@bank.example')).toBe(0);
    await approve(turn, call);
    await mustBeSent(turn);
    expect(await mailsTo('first@bank.example')).toBe(1);
  },
  10 * MINUTES,
);

it(
  'every container runs as a user, without capabilities, under seccomp, on a root file system that it cannot write',
  async () => {
    for (const service of SERVICES) {
      const [container] = await project.containersOf(service);
      const status = await project.docker('exec', container!, 'cat', '/proc/1/status');
      const value = (name: string) => new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1];
      expect({
        service,
        user: value('Uid'),
        effective: value('CapEff'),
        bound: value('CapBnd'),
        seccomp: value('Seccomp'),
      }).toEqual({
        service,
        user: expect.stringMatching(/^(99|999|1000|65534)$/),
        effective: '0000000000000000',
        bound: '0000000000000000',
        seccomp: '2',
      });
      expect(value('NoNewPrivs')).toBe('1');
      const write = project.docker('exec', container!, 'sh', '-c', 'echo > /written');
      await expect(write).rejects.toThrow(/read-only/i);
    }
  },
  10 * MINUTES,
);

it(
  'the Web UI asks for a password, answers through its proxy, and refuses a page of another site',
  async () => {
    expect((await fetch(WEB_UI)).status).toBe(401);
    const wrong = { authorization: `Basic ${Buffer.from('admin:guess').toString('base64')}` };
    expect((await fetch(WEB_UI, { headers: wrong })).status).toBe(401);
    expect((await fetch(WEB_UI, { headers: operator })).status).toBe(200);
    const list = await fetch(`${WEB_UI}/api/v1/namespaces`, { headers: operator });
    expect([list.status, await list.text()]).toEqual([200, expect.stringContaining('"default"')]);
    const other = await fetch(`${WEB_UI}/api/v1/namespaces`, { headers: { ...operator, origin: 'http://evil.example' } });
    expect(other.status).toBe(403);
  },
  MINUTES,
);

it(
  'Temporal has ciphertext only; the codec server gives the plain text to an approver, and to a starter what it was asked with',
  async () => {
    const turn = await startTurn('canary@bank.example');
    await waitingCall(turn);
    const history = await historyOf(turn);
    const encrypted = payloadsOf(JSON.parse(history)).filter((payload) => encodingOf(payload) === ENCRYPTED_ENCODING);
    expect(encrypted.length).toBeGreaterThan(5);
    expect(plainOf(payloadsOf(JSON.parse(history)))).not.toContain('canary@bank.example');
    const decode = async (bearer: string) =>
      (await ask<{ payloads: PayloadJson[] }>(bearer, '/codec/decode', { payloads: encrypted })).payloads;
    expect(plainOf(await decode(approver))).toContain('canary@bank.example');
    expect(await decode(starter)).toEqual(encrypted);
    expect((await fetch(`${GATEWAY}/codec/decode`, { method: 'POST' })).status).toBe(401);
    await approve(turn, await waitingCall(turn));
    await mustBeSent(turn);
  },
  10 * MINUTES,
);

it(
  'Prometheus reads the worker and both gateways, and has loaded every alert rule',
  async () => {
    expect((await fetch(PROMETHEUS)).status).toBe(401);
    const read = async <T>(path: string) => {
      const answer = await fetch(`${PROMETHEUS}/api/v1/${path}`, { headers: operator });
      return ((await answer.json()) as { data: T }).data;
    };
    const targets = await eventually('all targets are up', async () => {
      const { activeTargets } = await read<{ activeTargets: { labels: { job: string }; health: string }[] }>('targets');
      return activeTargets.length === 3 && activeTargets.every(({ health }) => health === 'up') && activeTargets;
    });
    expect(targets.map(({ labels }) => labels.job).sort()).toEqual(['gateway', 'gateway', 'worker']);
    const { groups } = await read<{ groups: { rules: { name: string }[] }[] }>('rules');
    const rules = groups.flatMap(({ rules: all }) => all.map(({ name }) => name));
    expect(rules.sort()).toEqual((await ruleNames()).sort());
    // What programs outside may not read.
    expect((await fetch(`${GATEWAY}/metrics`)).status).toBe(404);
    expect((await fetch(`${GATEWAY}/%6detrics`)).status).toBe(404);
  },
  5 * MINUTES,
);

it(
  'one gateway is killed while people decide: the other takes every decision, and each call runs once',
  async () => {
    const people = Array.from({ length: 4 }, (_, n) => `gateway-${n}@bank.example`);
    const turns = await Promise.all(people.map((to) => startTurn(to)));
    const calls = await Promise.all(turns.map((turn) => waitingCall(turn)));
    const [victim] = await project.containersOf('gateway');
    const killed = project.docker('kill', '--signal', 'KILL', victim!);
    for (const [n, turn] of turns.entries()) await approve(turn, calls[n]!, `decision-${n}`);
    await killed;
    for (const turn of turns) await mustBeSent(turn);
    for (const to of people) expect([to, await mailsTo(to)]).toEqual([to, 1]);
    await project.up();
    expect(await project.containersOf('gateway')).toHaveLength(2);
  },
  10 * MINUTES,
);

it(
  'keys are rotated while a turn waits: it goes on, with both keys in its history',
  async () => {
    const turn = await startTurn('rotated@bank.example');
    const call = await waitingCall(turn);
    await project.run('docker/rotate-keys.sh', []);
    const ring = JSON.parse(await readFile(join(project.checkout, 'docker/secrets/codec_keys'), 'utf8')) as {
      current: string;
      keys: object;
    };
    expect(Object.keys(ring.keys)).toHaveLength(2);
    await eventually('the processes write with the new key', async () => {
      const { state } = await ask<TurnView>(approver, `/v1/turns/${turn}`);
      expect(state).toBe('awaiting_approval');
      const probe = await startTurn('probe@bank.example');
      const history = await historyOf(probe);
      return payloadsOf(JSON.parse(history)).some(({ metadata }) => textOf(metadata?.[SEALED_BY.key]) === ring.current);
    });
    await approve(turn, call);
    await mustBeSent(turn);
    expect(await mailsTo('rotated@bank.example')).toBe(1);
  },
  10 * MINUTES,
);

it(
  'a killed worker and a deploy change nothing for a turn that waits',
  async () => {
    const turn = await startTurn('second@bank.example');
    const call = await waitingCall(turn);
    await project.docker('kill', '--signal', 'KILL', ...(await project.containersOf('worker')));
    await project.compose('up', '--detach', '--no-deps', 'worker');
    await project.healthy();
    await project.compose('up', '--detach', '--no-deps', '--force-recreate', 'worker');
    await project.healthy();
    await approve(turn, call);
    await mustBeSent(turn);
    expect(await mailsTo('second@bank.example')).toBe(1);
  },
  10 * MINUTES,
);

it(
  'the whole stack is killed while calls wait, and goes on',
  async () => {
    const turn = await startTurn('third@bank.example');
    const call = await waitingCall(turn);
    await project.compose('kill');
    await project.up();
    await approve(turn, call);
    await mustBeSent(turn);
    expect(await mailsTo('third@bank.example')).toBe(1);
  },
  10 * MINUTES,
);

it(
  'a backup is restored into empty volumes, frozen: a call that waited is approved afterwards, and mailed once, after the freeze',
  async () => {
    const turn = await startTurn('fourth@bank.example');
    const call = await waitingCall(turn);
    const [, backup] = /^made (.+)$/m.exec(await project.run('docker/backup.sh', [join(project.folder, 'backups')]))!;
    for (const name of await readdir(backup!)) {
      const content = await readFile(join(backup!, name), 'latin1');
      for (const canary of ['fourth@bank.example', Buffer.from('fourth@bank.example').toString('hex')])
        expect([name, content.includes(canary)]).toEqual([name, false]);
    }
    await shell('docker compose logs --no-log-prefix worker > worker.log');
    await project.compose('down', '--timeout', '10');
    await project.set({ COMPOSE_PROJECT_NAME: RESTORED });
    await project.compose('up', '--detach', 'postgresql');
    await eventually('PostgreSQL is healthy', async () => (await project.states()).get('postgresql')?.join() === 'healthy');
    const psql = 'exec psql --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname postgres';
    const restore = `docker compose exec -T postgresql sh -c 'PGPASSWORD=$(cat "$POSTGRES_PASSWORD_FILE") ${psql}'`;
    await shell(`grep -vE '^CREATE (ROLE|DATABASE) temporal[ ;]' ${backup}/database.sql | ${restore}`);
    await shell(`${restore} < ${backup}/store.sql`);
    await shell(
      `docker compose run --rm -T --no-deps --entrypoint tar worker --extract --directory /var/lib/holdfast < ${backup}/holdfast.tar`,
    );
    await project.compose('run', '--rm', '-T', '--no-deps', 'worker', 'freeze', '--reason', 'restored');
    await project.compose('up', '--detach', 'temporal-namespace');
    const compare = 'run --rm -T --no-deps --volume "$PWD/worker.log:/worker.log:ro" worker store compare --log /worker.log';
    expect(await shell(`docker compose ${compare}`)).toContain(turn);
    await project.up();
    await approve(turn, call);
    const isFrozen = async () => (await ask<TurnView>(approver, `/v1/turns/${turn}`)).frozen !== undefined;
    await eventually('the approved call waits for the end of the freeze', isFrozen);
    expect(await mailsTo('fourth@bank.example')).toBe(0);
    await project.compose('exec', '-T', 'worker', 'node', 'dist/cli/main.js', 'unfreeze');
    await mustBeSent(turn);
    expect(await mailsTo('fourth@bank.example')).toBe(1);
    await project.compose('--project-name', 'holdfast', 'down', '--volumes', '--timeout', '10');
  },
  15 * MINUTES,
);

it(
  'Temporal is upgraded by a minor version while a call waits: it is approved afterwards, and mailed once',
  async () => {
    const turn = await startTurn('upgraded@bank.example');
    const call = await waitingCall(turn);
    const version = (await readFile(NEXT_TEMPORAL, 'utf8')).trim();
    const [server, tools] = [{ image: `temporalio/server:${version}` }, { image: `temporalio/admin-tools:${version}` }];
    const services = { 'temporal-schema': tools, temporal: server, 'temporal-namespace': tools };
    await writeFile(join(project.checkout, 'docker-compose.override.yml'), stringify({ services }));
    await project.up();
    expect(await project.compose('exec', '-T', 'temporal', 'temporal', 'operator', 'cluster', 'system')).toContain(version);
    await approve(turn, call);
    await mustBeSent(turn);
    expect(await mailsTo('upgraded@bank.example')).toBe(1);
    const next = await startTurn('next@bank.example');
    await approve(next, await waitingCall(next));
    await mustBeSent(next);
  },
  10 * MINUTES,
);

it(
  'two versions of the worker run side by side: a turn ends on the version that began it, and a new turn runs on the new one',
  async () => {
    const deployment = (...args: string[]) =>
      project.compose('exec', '-T', 'temporal', 'temporal', 'worker', 'deployment', ...args);
    const makeCurrent = (build: string) =>
      deployment('set-current-version', '--deployment-name', 'agents', '--build-id', build, '--yes');
    const versionOf = async (turn: string) => {
      const workflow = ['workflow', 'describe', '--workflow-id', `turn/${turn}`, '--output', 'json'];
      const described = JSON.parse(await project.compose('exec', '-T', 'temporal', 'temporal', ...workflow)) as {
        workflowExecutionInfo: { versioningInfo: { deploymentVersion: { buildId: string } } };
      };
      return described.workflowExecutionInfo.versioningInfo.deploymentVersion.buildId;
    };

    await project.set({ HOLDFAST_DEPLOYMENT: 'agents', HOLDFAST_BUILD_ID: 'old' });
    await project.up();
    await eventually('the old version is current', () => makeCurrent('old'));
    const turn = await startTurn('old@bank.example');
    const call = await waitingCall(turn);
    const [before] = await project.containersOf('worker');

    await project.set({ HOLDFAST_BUILD_ID: 'new' });
    await project.compose('up', '--detach', '--no-recreate', '--scale', 'worker=2', 'worker');
    await eventually('the new version is current', () => makeCurrent('new'));
    const doctor = await project.compose('exec', '-T', '--index', '2', 'worker', 'node', 'dist/cli/main.js', 'doctor');
    expect(doctor).toMatch(/agents:new \(new turns\)/);
    expect(doctor).toMatch(/agents:old/);
    const next = await startTurn('new@bank.example');
    await approve(next, await waitingCall(next));
    await approve(turn, call);
    for (const one of [next, turn]) await mustBeSent(one);
    expect(await Promise.all([turn, next].map(versionOf))).toEqual(['old', 'new']);
    expect(await deployment('describe', '--name', 'agents')).toMatch(/old[\s\S]*new|new[\s\S]*old/);

    await project.docker('stop', '--time', '90', before!);
    await project.docker('rm', before!);
    const last = await startTurn('last@bank.example');
    await approve(last, await waitingCall(last));
    await mustBeSent(last);
  },
  10 * MINUTES,
);

it(
  'a worker that is asked to stop lets its calls end, and stops',
  async () => {
    const [worker] = await project.containersOf('worker');
    const began = Date.now();
    await project.compose('stop', 'worker');
    say(`the worker has stopped: ${Date.now() - began} ms`);
    const ended = await project.docker('inspect', '--format', '{{.State.ExitCode}} {{.State.OOMKilled}}', worker!);
    expect(ended.trim()).toBe('0 false');
  },
  5 * MINUTES,
);

/** A person of the list that docker/make-secrets.sh makes. */
async function operatorOf(): Promise<{ authorization: string }> {
  const list = await readFile(join(project.checkout, 'docker/secrets/operators'), 'utf8');
  const [, name, password] = /user (\S+) insecure-password (\S+)/.exec(list)!;
  return { authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` };
}

async function ruleNames(): Promise<string[]> {
  const folder = join(project.checkout, 'docker/prometheus');
  const files = (await readdir(folder)).filter((name) => name.startsWith('holdfast-'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts
    .flatMap((text) => (parse(text) as { groups: { rules: { alert?: string; record?: string }[] }[] }).groups)
    .flatMap(({ rules }) => rules.map(({ alert, record }) => (alert ?? record)!));
}

function historyOf(turn: string): Promise<string> {
  const show = ['workflow', 'show', '--workflow-id', `turn/${turn}`, '--output', 'json'];
  return project.compose('exec', '-T', 'temporal', 'temporal', ...show);
}

/** As Temporal's CLI prints it: values in base64. */
interface PayloadJson {
  metadata?: { [name: string]: string };
  data?: string;
}

/** All payloads of a history, at any depth. */
function payloadsOf(value: unknown): PayloadJson[] {
  if (typeof value !== 'object' || value === null) return [];
  const { metadata } = value as PayloadJson;
  if (typeof metadata?.encoding === 'string') return [value as PayloadJson];
  return Object.values(value).flatMap(payloadsOf);
}

function encodingOf({ metadata }: PayloadJson): string {
  return textOf(metadata?.encoding);
}

function textOf(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString('utf8');
}

function plainOf(payloads: PayloadJson[]): string {
  return payloads.map(({ data }) => textOf(data)).join('\n');
}

async function sizeOf(image: string): Promise<number> {
  return Math.round(Number(await project.docker('image', 'inspect', '--format', '{{.Size}}', image)) / 1e6);
}

/** Makes a token, and gives its entry to the gateways that start from now on. */
async function token(principal: string, role: string): Promise<string> {
  const made = await project.token(principal, role);
  const entries = JSON.parse(await readFile(join(project.checkout, 'docker/secrets/gateway_tokens'), 'utf8')) as object[];
  await project.admit([...entries, made.entry]);
  return made.token;
}

async function startTurn(to: string): Promise<string> {
  const message = `Prepare a credit memo on AAPL and send it to ${to}.`;
  return (await ask<{ turn_id: string }>(starter, '/v1/turns', { agent: 'credit-analyst', message })).turn_id;
}

async function waitingCall(turn: string): Promise<string> {
  return eventually('a call waits', async () => {
    const { pending } = await ask<TurnView>(approver, `/v1/turns/${turn}`);
    return pending[0];
  });
}

/** @param key sends the request again with this key until it has an answer: a gateway may have ended before it answered */
async function approve(turn: string, digest: string, key?: string): Promise<void> {
  const send = () => ask(approver, `/v1/turns/${turn}/decisions`, { decision: 'approve', call: digest }, key);
  await (key === undefined ? send() : eventually('the decision is taken', send));
}

/** Its destructive call has had its effect. */
async function mustBeSent(turn: string): Promise<void> {
  const { state, calls } = await ended(turn);
  const sent = calls.filter(({ tool }) => tool === 'send_credit_memo').map(({ effect, error }) => ({ effect, error }));
  expect({ state, sent }).toEqual({ state: 'completed', sent: [{ effect: 'applied', error: null }] });
}

async function ended(turn: string): Promise<TurnView> {
  return eventually('the turn ends', async () => {
    const view = await ask<TurnView>(approver, `/v1/turns/${turn}`);
    return view.ended_at !== null && view;
  });
}

async function mailsTo(address: string): Promise<number> {
  const parsed = await Promise.all(mails.map((mail) => PostalMime.parse(mail)));
  return parsed.filter(({ to }) => to?.some((one) => one.address === address)).length;
}

/** A mail server with an account, which containers reach at this network's own address. */
async function startMailServer(): Promise<SMTPServer> {
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, answer) =>
      username === MAIL_USER && password === MAIL_PASSWORD ? answer(null, { user: username }) : answer(new Error('who is that?')),
    onData(stream, _session, answer) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        mails.push(Buffer.concat(chunks));
        answer(null);
      });
    },
  });
  server.listen(0, '0.0.0.0');
  await once(server.server, 'listening');
  return server;
}

function shell(command: string): Promise<string> {
  return project.run('sh', ['-c', command]);
}
