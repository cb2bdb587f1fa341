/** The inbox in memory: what it reads, when it asks workers, and what it tells its readers. */
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { Inbox, pauseAfter } from '../../../src/client/approvals/inbox';
import type { InboxLimits } from '../../../src/client/approvals/inbox-reader';
import type { Answer } from '../../../src/client/approvals/bounded-asks';
import type { ListedTurn, WaitingCalls } from '../../../src/client/approvals/known-turns';
import { inboxSource, pendingTurns } from '../../../src/client/approvals/pending-turns';
import { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Owner } from '../../../src/record/owner';
import type { Visibility } from '../../../src/client/turns/listing';
import type { Question } from '../../../src/shapes/turn-view';
import { examplePending } from '../../../src/gateway/schemas/examples';

const { calls: examples, unreachable: _, ...summary } = examplePending;
const [example] = examples as unknown as [Question];

const question = (digest: string, over: Partial<Question> = {}): Question => ({ ...example, digest, ...over });

/** Temporal and its workers, as a test sets them. */
class World {
  readonly turns = new Map<string, { listed: ListedTurn; calls: Question[]; progress: number }>();
  /** The turns that were asked, in order. */
  readonly asked: string[] = [];
  silent: string | null = null;
  broken = false;
  private gate: Promise<void> = Promise.resolve();

  set(id: string, calls: Question[], over: Partial<ListedTurn> = {}): void {
    const progress = (this.turns.get(id)?.progress ?? 0) + 1;
    this.turns.set(id, { listed: { ...summary, turn_id: id, ...over }, calls, progress });
  }

  /** Workers answer once the function is called. */
  hold(): () => void {
    let open = () => undefined as void;
    this.gate = new Promise((resolve) => (open = resolve));
    return open;
  }

  async *list(): AsyncGenerator<ListedTurn> {
    if (this.broken) throw new Error('connection refused');
    for (const { listed } of [...this.turns.values()]) yield listed;
  }

  close(): void {}

  async progress(id: string): Promise<string> {
    return String(this.turns.get(id)?.progress);
  }

  async read(id: string): Promise<Answer<WaitingCalls>> {
    this.asked.push(id);
    await this.gate;
    if (this.silent !== null) return { ok: false, why: this.silent, noWorker: true };
    const { calls = [], progress } = this.turns.get(id) ?? {};
    return { ok: true, answer: { calls, unreachable: null, progress: String(progress) } };
  }
}

const opened: Inbox[] = [];
const open = (world: World, limits?: InboxLimits) => {
  const inbox = new Inbox(world, limits);
  opened.push(inbox);
  return inbox;
};
afterEach(() => Promise.all(opened.splice(0).map((inbox) => inbox.close())));
const digests = (turns: { turn_id: string; calls: { digest: string }[] }[]) =>
  Object.fromEntries(turns.map(({ turn_id, calls }) => [turn_id, calls.map(({ digest }) => digest)]));

describe('the inbox', () => {
  it('asks about a turn once, and again only when its history has grown', async () => {
    const world = new World();
    for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) world.set(id, [question(`${id}1`)]);
    const inbox = open(world);
    expect(digests(await inbox.pending('all'))).toMatchObject({ a: ['a1'], f: ['f1'] });
    expect(world.asked.sort().join('')).toMatch(/^a+b+c+d+e+f+$/);
    world.asked.length = 0;
    await inbox.pending('all');
    expect(world.asked.length).toBeLessThanOrEqual(3); // only to hear whether workers answer
    world.set('d', [question('d2')]);
    expect(digests(await inbox.pending('all')).d).toEqual(['d2']);
    world.turns.delete('a');
    expect(digests(await inbox.pending('all'))).not.toHaveProperty('a');
  });

  it('shows each principal only the turns that it may see', async () => {
    const world = new World();
    world.set('a', [question('a1')], { requester: 'acme/rita' });
    world.set('b', [question('b1')], { requester: 'globex/eve' });
    const inbox = open(world);
    expect(Object.keys(digests(await inbox.pending({ tenant: 'acme' })))).toEqual(['a']);
    expect(Object.keys(digests(await inbox.rows({ tenant: 'globex' })))).toEqual(['b']);
    expect(await inbox.rows({ tenant: 'globe' })).toEqual([]);
  });

  it('lists up to so many turns of each tenant: one that has more crowds out no other, and only its own readers hear of it', async () => {
    const world = new World();
    for (let n = 0; n < 7; n++) world.set(`e${n}`, [question(`e${n}`)], { requester: 'globex/eve' });
    world.set('a', [question('a1')], { requester: 'acme/rita' });
    world.set('n', [question('n1')], { requester: 'ned' });
    const inbox = open(world, { ofTenant: 5 });
    const listed = await inbox.pending('all');
    expect(listed.map(({ turn_id }) => turn_id).sort()).toEqual(['a', 'e0', 'e1', 'e2', 'e3', 'e4', 'n']);
    const fault = async (visibility: Visibility) => {
      const events = inbox.follow({ visibility, signal: AbortSignal.timeout(60_000) });
      const { value } = await events.next();
      await events.return(undefined);
      return (value as { data: { fault: string | null } }).data.fault;
    };
    const says = 'More turns wait than are listed: at most 5 of one tenant.';
    expect(await fault('all')).toBe(says);
    expect(await fault({ tenant: 'globex' })).toBe(says);
    expect(await fault({ requester: 'globex/eve' })).toBe(says);
    expect(await fault({ tenant: 'acme' })).toBeNull();
    expect(await fault({ requester: 'ned' })).toBeNull();
    world.turns.delete('e0');
    world.turns.delete('e1');
    await inbox.pending('all');
    expect(await fault('all')).toBeNull();
  });

  it('asks about the oldest turns first: they expire first', async () => {
    const world = new World();
    for (const [id, hour] of Object.entries({ c: 12, a: 10, d: 13, b: 11 }))
      world.set(id, [question(`${id}1`)], { started_at: `2026-01-31T${hour}:00:00.000Z` });
    await open(world).rows('all');
    expect(world.asked.slice(0, 4)).toEqual(['a', 'b', 'c', 'd']);
  });

  it('lists a turn that nobody answers for, with the reason, and keeps what it knew of others', async () => {
    const world = new World();
    world.set('a', [question('a1')]);
    const inbox = open(world);
    await inbox.pending('all');
    world.set('b', [question('b1')]);
    world.silent = 'No worker answers.';
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'setTimeout'], now: Date.now() + 10_000 });
    try {
      const [a, b] = await inbox.pending('all');
      expect(a).toMatchObject({ turn_id: 'a', calls: [{ digest: 'a1' }], unreachable: 'No worker answers.' });
      expect(b).toMatchObject({ turn_id: 'b', calls: [], unreachable: 'No worker answers.' });
      world.silent = null;
      expect((await inbox.pending('all')).map(({ unreachable }) => unreachable)).toEqual([null, null]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('says that Temporal does not answer', async () => {
    const world = new World();
    world.broken = true;
    const inbox = open(world);
    await expect(inbox.pending('all')).rejects.toThrow('connection refused');
    await expect(inbox.rows('all')).rejects.toThrow('connection refused');
  });

  it('keeps whole cards up to a limit, and rows of all: a turn with longer ones says where they are', async () => {
    const world = new World();
    const long = (length: number) => question('long', { card: { ...example.card, markdown: 'x'.repeat(length) } });
    world.set('long', [long(50_000)]);
    world.set('short', [question('s1')]);
    const inbox = open(world, { cardRoom: 20_000 });
    expect(await inbox.pending('all')).toMatchObject([
      { turn_id: 'long', calls: [], unreachable: expect.stringContaining('GET /v1/turns/:id') },
      { turn_id: 'short', calls: [{ digest: 's1' }], unreachable: null },
    ]);
    expect(digests(await inbox.rows('all'))).toEqual({ long: ['long'], short: ['s1'] });
  });

  it('rows have no Markdown, cut fields say so, and who has decided is in them', async () => {
    const world = new World();
    const by = { decision: 'approve', by: 'ana', at: '2026-01-31T10:00:00.000Z', note: 'n'.repeat(4000) } as const;
    const decisions = [{ ...by, channel: 'update' as const, identity: 'x', attested: true }];
    const card = { ...example.card, input: { text: 'x'.repeat(10_000), cents: 7 } };
    world.set('a', [question('a1', { card, approval: { ...example.approval, quorum: 2, by: ['ana'], decisions } })]);
    const [row] = await open(world).rows('all');
    const [{ card: shown, approval }] = row!.calls as [(typeof row & object)['calls'][number]];
    expect(shown).not.toHaveProperty('markdown');
    expect(shown.input).toMatchObject({ cents: 7 });
    expect(shown.incomplete).toContain('GET /v1/turns/a ');
    expect(approval).toMatchObject({ quorum: 2, by: ['ana'], decisions: [{ by: 'ana', decision: 'approve' }] });
    expect(JSON.stringify(row).length).toBeLessThan(5000);
  });

  it("shows a sub-agent's call once: in its own turn, if that is listed", async () => {
    const world = new World();
    const of = { turn_id: 'child', workflow_id: 'turn/child', first_execution_run_id: 'r', agent: 'worker', head: null };
    world.set('parent', [question('x', { of })]);
    const inbox = open(world);
    expect(digests(await inbox.pending('all'))).toEqual({ parent: ['x'] });
    world.set('child', [question('x')]);
    expect(digests(await inbox.pending('all'))).toEqual({ child: ['x'] });
    world.turns.delete('child');
    expect(digests(await inbox.pending('all'))).toEqual({ parent: ['x'] });
  });

  it('answers rows while it is still reading, and says which turns it has not read yet', async () => {
    const world = new World();
    world.set('a', [question('a1')]);
    const inbox = open(world);
    const answer = world.hold();
    expect(await inbox.rows('all')).toMatchObject([
      { turn_id: 'a', calls: [], unreachable: expect.stringContaining('being read') },
    ]);
    answer();
    expect(digests(await inbox.rows('all'))).toEqual({ a: ['a1'] });
  });

  it('reads the turns again at once on whose calls somebody has decided', async () => {
    const world = new World();
    world.set('a', [question('a1')]);
    world.set('b', [question('b1')]);
    const inbox = open(world);
    await inbox.pending('all');
    world.asked.length = 0;
    world.set('a', []);
    inbox.decided('a', ['a1']);
    expect(digests(await inbox.rows('all'))).toEqual({ b: ['b1'] });
    expect(world.asked).toEqual(['a']);
  });
});

describe('a workflow that somebody made up as a turn', () => {
  const call = { ...example, digest: 'd'.repeat(64) };
  const state = {
    ...{ reason: 'asks', changes: [], untrusted: false, asked_at: null, remarks: [] },
    policy: { channel: 'any', quorum: 1, roles: [], four_eyes: false },
  };
  const card = { digest: call.digest, card: `Pay 7 \`${call.digest}\``, state };
  const honest = {
    view: { state: 'awaiting_approval', pending: [call.digest], calls: [call] },
    page: { cards: [card], read: 1 },
  };
  const approving = (over: object) => ({
    ...honest,
    view: { ...honest.view, calls: [{ ...call, approval: { ...call.approval, ...over } }] },
  });
  const below = { ...honest.view, calls: [], sub_turns: [{ waiting: [{ turn_id: 't', agent: 'a', call }] }] };
  let deep: object = {};
  for (let level = 0; level < 20_000; level += 1) deep = { deep };

  /** Two turns, `a` and `b`; the workers of `a` give these answers. */
  function inboxOf(answers: { view: unknown; page?: unknown }) {
    const temporal = {
      connection: {
        withAbortSignal: (_signal: AbortSignal, ask: () => unknown) => ask(),
        withDeadline: (_until: number, ask: () => unknown) => ask(),
      },
      workflow: {
        list: async function* () {
          for (const id of ['a', 'b']) yield { workflowId: `turn/${id}`, taskQueue: id };
        },
        getHandle: (workflow: string) => ({
          describe: async () => ({ status: { name: 'RUNNING' }, runId: 'r', raw: {} }),
          query: async (name: string) => {
            const { view, page } = workflow === 'turn/a' ? answers : honest;
            return name === 'status' ? view : page;
          },
        }),
      },
    } as unknown as Client;
    const turn = (id: string, owner: Owner | null = null) =>
      new TurnHandle(temporal, id, `turn/${id}`, null, {} as never, null, null, null, owner);
    const of = {
      ...{ temporal, taskQueue: 'own', turn },
      summarize: ({ workflowId }: WorkflowExecutionInfo) => ({ ...summary, turn_id: workflowId.slice(5) }),
    };
    const inbox = new Inbox(inboxSource(of, async (id) => ({ progress: '1', view: () => turn(id).status() })));
    opened.push(inbox);
    return { inbox, all: () => pendingTurns({ ...of, visibility: 'all' }) };
  }

  const unreadable = {
    turn_id: 'a',
    calls: [],
    unreachable: expect.stringMatching('Its worker gave an answer that cannot be read'),
  };
  const readable = { turn_id: 'b', calls: [{ digest: call.digest }], unreachable: null };

  it.each<[string, { view: unknown; page?: unknown }]>([
    ['no view', { view: null }],
    ['calls that are no list', { view: { ...honest.view, calls: 'x' } }],
    ['pending digests that are no list', { view: { ...honest.view, pending: {} } }],
    ['a call that is none', { view: { ...honest.view, calls: [null] } }],
    ['a call without an approval', { ...honest, view: { ...honest.view, calls: [{ ...call, approval: undefined }] } }],
    ['a call of another turn, which is none', { ...honest, view: { ...honest.view, calls: [{ ...call, of: {} }] } }],
    ['decisions that are no list', approving({ decisions: 'x' })],
    ['a decision that is none', approving({ decisions: [null] })],
    ['a note that is no text', approving({ note: { length: 1e9 } })],
    ['a value that is too deep', approving({ deep })],
    ['sub-turns that are no list', { view: { ...honest.view, sub_turns: 'x' } }],
    ["a sub-agent's call of no turn", { view: { ...below, sub_turns: [{ waiting: [{ turn_id: {}, agent: 'a', call }] }] } }],
    ['no page of cards', { ...honest, page: null }],
    ['a card that is none', { ...honest, page: { cards: [null], read: 1 } }],
    ['cards of which it processed a part of one', { ...honest, page: { cards: [card], read: 1e-6 } }],
    ['a state of a card that is too deep', { ...honest, page: { cards: [{ ...card, state: { ...state, deep } }], read: 1 } }],
    ['remarks that are no list', { ...honest, page: { cards: [{ ...card, state: { ...state, remarks: 'x' } }], read: 1 } }],
  ])('is listed as one that cannot be read, and the others as before: %s', async (_what, answers) => {
    const { inbox, all } = inboxOf(answers);
    for (const list of [() => inbox.pending('all'), () => inbox.rows('all'), all]) {
      const turns = await list();
      expect(turns.toSorted((a, b) => (a.turn_id < b.turn_id ? -1 : 1))).toMatchObject([unreadable, readable]);
      expect(() => JSON.stringify(turns)).not.toThrow();
    }
  });

  it.each<[string, { view: unknown; page?: unknown }]>([
    ['leaves out what older builds did not have', approving({ decisions: undefined, quorum: undefined, channel: undefined })],
    [
      'has a state and a field that this build does not know',
      { ...honest, view: { ...approving({}).view, state: 'new', more: [] } },
    ],
    ["shows a sub-agent's call", { ...honest, view: below }],
  ])('is read if its answer %s', async (_what, answers) => {
    const turns = await inboxOf(answers).inbox.pending('all');
    expect(turns.find(({ turn_id }) => turn_id === 'a')).toMatchObject({ ...readable, turn_id: 'a' });
  });
});

describe('a reader of the inbox', () => {
  async function take(events: AsyncIterator<{ event: string; data: object; id: string | null }>, until: (event: any) => boolean) {
    const taken: any[] = [];
    for (;;) {
      const { value, done } = await events.next();
      if (done) return taken;
      taken.push(value);
      if (until(value)) return taken;
    }
  }
  const read = ({ event, data }: any) => event === 'waiting_reading' && !data.snapshot && data.done === data.total;

  it('gets all that waits, then what changes, and after a break what changed since', async () => {
    const world = new World();
    world.set('a', [question('a1')]);
    world.set('b', [question('b1')]);
    const inbox = open(world);
    const stop = new AbortController();
    const events = inbox.follow({ visibility: 'all', signal: stop.signal });
    const first = await take(events, (event) => read(event) && event.data.total === 2);
    expect(first[0]).toMatchObject({ event: 'waiting_reading', id: null, data: { snapshot: true } });
    const added = first.filter(({ event }) => event === 'waiting_added');
    expect(added.map(({ data }) => data.turn_id).sort()).toEqual(['a', 'b']);
    world.set('a', []);
    inbox.decided('a', ['a1']);
    const [removed] = (await take(events, ({ event }) => event === 'waiting_removed')).slice(-1);
    expect(removed.data).toEqual({ turn_id: 'a' });
    stop.abort();
    expect((await take(events, () => false)).filter(({ event }) => event !== 'waiting_reading')).toEqual([]);

    world.set('b', [question('b1', { state: 'in_doubt' })]);
    await inbox.pending('all');
    const later = inbox.follow({ after: removed.id, visibility: 'all', signal: AbortSignal.timeout(60_000) });
    expect((await take(later, ({ event }) => event === 'waiting_changed')).at(-1)).toMatchObject({
      event: 'waiting_changed',
      data: { turn_id: 'b', calls: [{ state: 'in_doubt' }] },
    });
    await later.return(undefined);
  });

  it('is woken a few times a second, however often something changes', async () => {
    const world = new World();
    for (let n = 0; n < 200; n++) world.set(`t${n}`, [question(`q${n}`)]);
    const answered = jest.spyOn(world, 'read').mockImplementation(async (id) => {
      await new Promise((resolve) => setTimeout(resolve, Number(id.slice(1))));
      return { ok: true, answer: { calls: world.turns.get(id)!.calls, unreachable: null, progress: '1' } };
    });
    const began = Date.now();
    const events = open(world).follow({ visibility: 'all', signal: AbortSignal.timeout(60_000) });
    const told = await take(events, (event) => read(event) && event.data.total === 200);
    const seconds = (Date.now() - began) / 1000;
    await events.return(undefined);
    expect(answered).toHaveBeenCalledTimes(200);
    expect(told.filter(({ event }) => event === 'waiting_added')).toHaveLength(200);
    expect(told.filter(({ event }) => event === 'waiting_reading').length).toBeLessThanOrEqual(3 + 4 * seconds);
  });

  it('gets a snapshot if its last event is of another process', async () => {
    const world = new World();
    world.set('a', [question('a1')]);
    const events = open(world).follow({ after: `${'0'.repeat(16)}-7`, visibility: 'all', signal: AbortSignal.timeout(60_000) });
    const [first, ...others] = await take(events, ({ event }) => event === 'waiting_added');
    expect(first.data.snapshot).toBe(true);
    expect(others.at(-1).data.turn_id).toBe('a');
    await events.return(undefined);
  });

  it('learns nothing of turns that it may not see, not even how many there are', async () => {
    const world = new World();
    world.set('a', [question('a1')], { requester: 'acme/rita' });
    for (let n = 0; n < 5; n++) world.set(`b${n}`, [question(`b${n}`)], { requester: 'globex/eve' });
    const inbox = open(world);
    await inbox.pending('all');
    const events = inbox.follow({ visibility: { tenant: 'acme' }, signal: AbortSignal.timeout(60_000) });
    const told = await take(events, read);
    await events.return(undefined);
    expect(JSON.stringify(told)).not.toContain('globex');
    expect(told.at(-1).data).toMatchObject({ done: 1, total: 1 });
  });

  it('ends when the inbox is closed', async () => {
    const inbox = open(new World());
    const events = inbox.follow({ visibility: 'all', signal: new AbortController().signal });
    await events.next();
    await inbox.close();
    expect((await take(events, () => false)).length).toBeLessThanOrEqual(1);
  });

  it.each([
    ['a quick look', 40, 2_000],
    ['a look of a second', 1_000, 9_000],
    ['a look under load', 5_000, 10_000],
  ])('pauses long enough to cost a tenth of the time, and never over 10 s, after %s', (_which, tookMs, pauseMs) => {
    expect(pauseAfter(tookMs)).toBe(pauseMs);
  });
});
