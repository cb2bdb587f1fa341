/** The entries that turns write to the trail, with a real worker and store. */
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import type { TrailEntry } from '../../../src/store/core/trail';
import { eventually, withEngine } from '../support/engine';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

type Invoice = { invoice: string; cents: number };
const call = (invoice: string, cents = 700): [string, Invoice] => ['pay', { invoice, cents }];

/** Each entry as `call.revision state by`. */
async function trailOf(store: Store, turn: TurnHandle): Promise<string[]> {
  const { entries, damaged } = await store.trail.query({ turn: turn.id });
  expect(damaged).toEqual([]);
  expect(entries.filter(({ verified }) => !verified)).toEqual([]);
  return entries.map(said);
}

function said({ call_id, revision, kind, state, by }: TrailEntry): string {
  return `${call_id} r${revision} ${kind} ${state}${by === '' ? '' : ` ${by}`}`;
}

const signal = (turn: TurnHandle, client: { temporal: any }, name: string, body: object): Promise<void> =>
  client.temporal.workflow.getHandle(turn.workflowId).signal(name, body);

const nextPending = (turn: TurnHandle, not: string) =>
  eventually('another call waits', async () => (await turn.pending()).find(({ digest }) => digest !== not));

it('every destructive call is in the trail once and in order: approved, denied, edited, in doubt and settled', async () => {
  const effects: Invoice[] = [];
  const run = (input: Invoice) => {
    effects.push(input);
    if (input.invoice === 'D-doubt') throw new Error('the line went dead');
    return { paid: true };
  };
  const steps = ['A-approve', 'B-deny', 'C-edit', 'D-doubt'].map((invoice) => ask(call(invoice)));
  await withEngine({ tools: [pays('pay', [], { run })], script: [...steps, say('done')] }, async ({ start, client, store }) => {
    const turn = await start('Pay.', { requester: 'rita' });
    const [a] = await turn.waitForPending();
    await turn.approve(a.digest, { by: 'ana' });
    const b = await nextPending(turn, a.digest);
    await turn.deny(b.digest, { by: 'bob', note: 'no' });
    const d = await nextPending(turn, b.digest);
    await signal(turn, client, 'approve', { call: d.digest, by: 'eda', input: { invoice: 'C-edit', cents: 350 } });
    const d2 = await nextPending(turn, d.digest);
    await turn.approve(d2.digest, { by: 'ana' });
    const e = await nextPending(turn, d2.digest);
    await turn.approve(e.digest, { by: 'ana' });
    await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
    await turn.settle(e.digest, 'not_applied', { by: 'sue' });
    const { head } = await turn.result();
    const expected = [
      ...['1.1 r1 admission asked', '1.1 r1 decision approved ana', '1.1 r1 dispatch dispatched', '1.1 r1 effect applied'],
      ...['2.1 r1 admission asked', '2.1 r1 decision denied bob'],
      ...['3.1 r1 admission asked', '3.1 r1 decision edited eda', '3.1 r2 decision approved ana'],
      ...['3.1 r2 dispatch dispatched', '3.1 r2 effect applied'],
      ...['4.1 r1 admission asked', '4.1 r1 decision approved ana', '4.1 r1 dispatch dispatched', '4.1 r1 effect in_doubt'],
      '4.1 r1 settlement not_applied sue',
    ];
    expect(await trailOf(store, turn)).toEqual(expected);
    expect(effects.map(({ invoice, cents }) => `${invoice} ${cents}`)).toEqual(['A-approve 700', 'C-edit 350', 'D-doubt 700']);

    // Each entry is in the turn's own chain.
    const chain = new Set((await walk(store, head)).map(({ hash }) => hash));
    const { entries } = await store.trail.query({ turn: turn.id });
    expect(entries.filter(({ block }) => !chain.has(block))).toEqual([]);
    expect(entries[1]).toMatchObject({ turn_id: turn.id, workflow_id: turn.workflowId, requester: 'rita', digest: a.digest });

    // The entries, selected by person and state.
    const by = async (query: object) => (await store.trail.query({ turn: turn.id, ...query })).entries.map(said);
    expect(await by({ by: 'Bob' })).toEqual(['2.1 r1 decision denied bob']);
    expect(await by({ state: 'in_doubt' })).toEqual(['4.1 r1 effect in_doubt']);
  });
});

it('a call that expired is in the trail too', async () => {
  const setup = { tools: [pays('pay', [])], agent: { approvalExpiryMs: 800 }, script: [ask(call('C-expire')), say('done')] };
  await withEngine(setup, async ({ start, store }) => {
    const turn = await start();
    await turn.result();
    expect(await trailOf(store, turn)).toEqual(['1.1 r1 admission asked', '1.1 r1 decision expired']);
  });
});

it('a decision on a call that is not destructive is in the trail, and in the transcript', async () => {
  const note = reads('note', ({ key }) => key, { class: 'write', description: 'Writes a note.' });
  const agent = { permissions: { ask: ['note'] } };
  await withEngine({ tools: [note], agent, script: [ask(['note', {}]), say('done')] }, async ({ start, store }) => {
    const turn = await start();
    const [waiting] = await turn.waitForPending();
    await turn.approve(waiting.digest, { by: 'ana' });
    await turn.result();
    expect(await trailOf(store, turn)).toEqual(['1.1 r1 decision approved ana']);
  });
});

it('approvals that did not suffice are in the trail too, of a call that was denied and of one whose turn was cancelled', async () => {
  const agent = { approvals: { quorum: 2 } };
  const script = [ask(call('A')), ask(call('B'))];
  await withEngine({ tools: [pays('pay', [])], agent, script }, async ({ start, store }) => {
    const turn = await start();
    const [a] = await turn.waitForPending();
    await turn.approve(a.digest, { by: 'ana' });
    await turn.deny(a.digest, { by: 'bob' });
    const b = await nextPending(turn, a.digest);
    await turn.approve(b.digest, { by: 'ana' });
    await turn.cancel();
    await turn.result();
    expect(await trailOf(store, turn)).toEqual([
      ...['1.1 r1 admission asked', '1.1 r1 decision approved ana', '1.1 r1 decision denied bob'],
      ...['2.1 r1 admission asked', '2.1 r1 decision approved ana'],
    ]);
  });
});

it('a direct call leaves the same trail', async () => {
  await withEngine({ tools: [pays('pay', [])] }, async ({ call: direct, store }) => {
    const { turn } = await direct('pay', { invoice: 'A', cents: 1 });
    const [waiting] = await turn.waitForPending();
    await turn.approve(waiting.digest, { by: 'ana' });
    await turn.result();
    expect(await trailOf(store, turn)).toEqual([
      ...['1.1 r1 admission asked', '1.1 r1 decision approved ana', '1.1 r1 dispatch dispatched', '1.1 r1 effect applied'],
    ]);
  });
});

it('an attempt that dies before it is claimed leaves no second decision, and the chain has the first', async () => {
  const effects: unknown[] = [];
  await withEngine({ tools: [pays('pay', effects)], script: [ask(call('A')), say('done')] }, async ({ start, store }) => {
    // The attempt stores decision and dispatch, and is lost before it claims the effect.
    const claim = store.effects.claim.bind(store.effects);
    let lost = false;
    store.effects.claim = (record, state) => {
      if (lost || state === 'not_applied') return claim(record, state);
      lost = true;
      return Promise.reject(new Error('the disk went away'));
    };
    const turn = await start();
    const [waiting] = await turn.waitForPending();
    await turn.approve(waiting.digest, { by: 'ana' });
    const { head } = await turn.result();
    expect(lost).toBe(true);
    expect(effects).toHaveLength(1);
    const entries = await trailOf(store, turn);
    expect(entries.filter((entry) => entry.includes('decision'))).toEqual(['1.1 r1 decision approved ana']);
    expect(entries.at(-1)).toBe('1.1 r1 effect applied');
    const chain = (await walk(store, head)).map(({ block }) => block.kind);
    expect(chain.filter((kind) => kind === 'decision' || kind === 'dispatch')).toEqual(['decision', 'dispatch']);
  });
});
