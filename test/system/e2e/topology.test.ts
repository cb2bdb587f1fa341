/**
 * The topology of docker-compose.yml, run natively: PostgreSQL, Temporal's production server, a worker as a process of its own,
 * all set up by the files of docker/. One turn goes through it; its call waits, and is approved from the command line.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { parse } from 'yaml';
import type { PendingTurn, TurnSummary } from '../../../src/shapes/turn-view';
import { startMailCatcher, type MailCatcher } from '../../../src/devserver/mail-catcher';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import { eventually } from '../../engine/support/engine';
import { whyNoNativeCluster } from '../support/native-binaries';
import { startNativeCluster, type NativeCluster } from '../support/native-cluster';
import { holdfast, type Holdfast } from '../support/process';
import { replayAll } from '../support/replay-all';

const COMMITTEE = 'credit-committee@bank.example';
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
  }, 180_000);

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
  }, 180_000);

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

  it('log no password', async () => {
    const secret = (await readFile(settings.ANTHROPIC_API_KEY_FILE!, 'utf8')).trim();
    expect(worker.output()).not.toContain(secret);
    expect(cluster.log()).not.toContain(cluster.password);
  });
});
