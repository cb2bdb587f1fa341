/**
 * The topology of docker-compose.yml, run natively: PostgreSQL, Temporal's production server, a worker as a process of its own,
 * all set up by the files of docker/. One turn goes through it; its call waits, and is approved from the command line.
 */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { parse } from 'yaml';
import type { PendingTurn, TurnSummary } from '../../../src/shapes/turn-view';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually } from '../../engine/support/engine';
import { ringOf } from '../../support/encryption/ring';
import { whyNoNativeCluster } from '../support/native-binaries';
import { startNativeCluster, type NativeCluster } from '../support/native-cluster';
import { holdfast, type Holdfast } from '../support/process';
import { replayAll } from '../support/replay-all';

const COMMITTEE = 'credit-committee@bank.example';
const CANARY = 'canary4711';
const SET_UP_WITHIN_MS = 1_200_000; // where the server has to be built, on a busy machine

const missing = whyNoNativeCluster();
const required = process.env.HOLDFAST_REQUIRE_POSTGRES === '1';
if (missing && !required) {
  console.warn(`The test of the topology is skipped: ${missing}. HOLDFAST_REQUIRE_POSTGRES=1 makes this a failure.`);
}

(missing && !required ? describe.skip : describe)('PostgreSQL, a Temporal server and a worker (needs PostgreSQL and Go)', () => {
  let cluster: NativeCluster;
  let home: string;
  let catcher: MailCatcher;
  let worker: Holdfast;
  let settings: NodeJS.ProcessEnv;

  beforeAll(async () => {
    cluster = await startNativeCluster();
    home = await mkdtemp(join(tmpdir(), 'holdfast-topology-'));
    catcher = await startMailCatcher({ dir: join(home, 'outbox') });
    const secret = join(home, 'secret');
    await writeFile(secret, 'not-used-by-the-rehearsal\n', { mode: 0o600 });
    settings = {
      TEMPORAL_ADDRESS: cluster.address,
      TEMPORAL_NAMESPACE: cluster.namespace,
      ANTHROPIC_API_KEY_FILE: secret,
      HOLDFAST_SMTP_HOST: '127.0.0.1',
      HOLDFAST_SMTP_PORT: String(catcher.port),
      HOLDFAST_SMTP_FROM: 'memos@bank.example',
    };
    worker = holdfast(home, ['worker'], settings);
    await worker.printed(/^worker \d+: /m, 60_000);
  }, SET_UP_WITHIN_MS);

  afterAll(async () => {
    await worker?.stop();
    await catcher?.close();
    await cluster?.stop();
    if (home) await rm(home, { recursive: true, force: true });
  });

  async function cli<T>(...args: string[]): Promise<T> {
    const process = holdfast(home, [...args, '--json'], settings);
    const code = await process.ended;
    if (code !== 0) throw new Error(`holdfast ${args.join(' ')} ended with ${code}:\n${process.output()}`);
    return JSON.parse(process.stdout().trim().split('\n').at(-1)!) as T;
  }

  async function mails() {
    const outbox = join(home, 'outbox');
    const names = (await readdir(outbox)).filter((name) => name.endsWith('.eml'));
    return Promise.all(names.map(async (name) => PostalMime.parse(await readFile(join(outbox, name)))));
  }

  /** The answer of a command, once it lists something. */
  const listed = <T>(...args: string[]) =>
    eventually(`holdfast ${args.join(' ')} lists something`, async () => {
      const items = await cli<T[]>(...args);
      return items.length > 0 && items;
    });

  it('take one turn from its start through a waiting call to exactly one mail, and find it by its state', async () => {
    const started = await cli<{ turn_id: string }>(
      'run',
      '--agent',
      'credit-analyst',
      `Prepare a credit memo on AAPL against its peers and send it to ${COMMITTEE}.`,
    );
    const waiting = await listed<PendingTurn>('pending');
    expect(waiting).toMatchObject([{ turn_id: started.turn_id, calls: [{ tool: 'send_credit_memo', state: 'waiting' }] }]);
    const held = await listed<TurnSummary>('list', '--state', 'awaiting_approval');
    expect(held.map((turn) => turn.turn_id)).toEqual([started.turn_id]);
    expect(await mails()).toEqual([]);

    await cli('approve', started.turn_id, '--call', waiting[0]!.calls[0]!.digest!, '--by', 'ana');
    const view = await eventually('the turn ends', async () => {
      const seen = await cli<TurnView>('show', started.turn_id);
      return seen.ended_at !== null && seen;
    });
    expect(view).toMatchObject({ state: 'completed', pending: [] });
    expect(view.calls.filter((call) => call.tool === 'send_credit_memo')).toEqual([
      expect.objectContaining({ effect: 'applied', approval: expect.objectContaining({ decision: 'approve', by: ['ana'] }) }),
    ]);
    expect((await mails()).map((mail) => mail.to?.[0])).toEqual([expect.objectContaining({ address: COMMITTEE })]);

    const completed = await listed<TurnSummary>('list', '--state', 'completed');
    expect(completed.map((turn) => turn.turn_id)).toEqual([started.turn_id]);
    expect(await cli<TurnSummary[]>('list', '--state', 'awaiting_approval')).toEqual([]);
    expect(await replayAll(cluster.address)).toBe(1);
  });

  it('run with the dynamic configuration that docker-compose.yml mounts: the server says that its values are in force', async () => {
    const file = parse(await readFile(join(__dirname, '../../../docker/dynamicconfig.yaml'), 'utf8')) as Record<
      string,
      { value: unknown }[]
    >;
    expect(Object.keys(file)).toContain('system.enableActivityEagerExecution');
    for (const [key, [setting]] of Object.entries(file)) {
      const changed = `dynamic config changed for the key: ${key.toLowerCase()} oldValue: nil newValue: { constraints: {} value: ${setting!.value} }`;
      expect(cluster.log()).toContain(changed);
    }
    expect(cluster.log()).not.toMatch(/dynamic config (error|warning)|unregistered key/);
  });

  it('hold nothing of a turn in their databases in clear text if there is a key ring, the store included', async () => {
    const other = join(home, 'encrypted');
    await mkdir(other);
    const ring = join(other, 'codec-keys.json');
    await writeFile(ring, JSON.stringify(ringOf('one')), { mode: 0o600 });
    const encrypted = {
      ...settings,
      HOLDFAST_TASK_QUEUE: 'encrypted',
      HOLDFAST_STORE: cluster.store,
      HOLDFAST_CODEC_KEYS: ring,
    };
    const itsWorker = holdfast(other, ['worker'], encrypted);
    const itsCli = async <T>(...args: string[]) => {
      const process = holdfast(other, [...args, '--json'], encrypted);
      expect({ code: await process.ended, output: process.output() }).toMatchObject({ code: 0 });
      return JSON.parse(process.stdout().trim().split('\n').at(-1)!) as T;
    };
    try {
      await itsWorker.printed(/^worker \d+: /m, 60_000);
      const message = `Prepare a credit memo on AAPL against its peers and send it to ${CANARY}@bank.example.`;
      const { turn_id } = await itsCli<{ turn_id: string }>('run', '--agent', 'credit-analyst', message);
      const waiting = await eventually('its call waits', async () => {
        const [turn] = (await itsCli<PendingTurn[]>('pending')).filter((one) => one.turn_id === turn_id);
        return turn?.calls[0];
      });
      await itsCli('approve', turn_id, '--call', waiting.digest!, '--by', 'ana', '--note', `Fine: ${CANARY}`);
      await eventually('the turn ends', async () => (await itsCli<TurnView>('show', turn_id)).state === 'completed');
      const dump = await cluster.dump();
      const clear = (text: string) => forms(text).filter((form) => dump.includes(form));
      expect(clear(COMMITTEE)).not.toEqual([]); // of the first turn, which was not encrypted: what is plain is found so
      expect(dump).toContain(turn_id);
      expect(clear(CANARY)).toEqual([]);
      expect(itsWorker.output()).not.toContain(CANARY);
    } finally {
      await itsWorker.stop();
    }
  });

  it('log no password', async () => {
    const secret = (await readFile(settings.ANTHROPIC_API_KEY_FILE!, 'utf8')).trim();
    expect(worker.output()).not.toContain(secret);
    expect(cluster.log()).not.toContain(cluster.password);
  });
});

/** How a dump may have a text: as it is, in hexadecimal, or in base64 at each of the three offsets; and base64 in hexadecimal. */
function forms(text: string): string[] {
  const base64 = [0, 1, 2].map((offset) =>
    Buffer.from(`${'x'.repeat(offset)}${text}`)
      .toString('base64')
      .slice(4, -4),
  );
  const plain = [text, ...base64];
  return [...plain, ...plain.map((one) => Buffer.from(one).toString('hex'))];
}
