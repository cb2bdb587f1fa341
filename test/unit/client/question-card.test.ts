/** The card of a waiting call as clients get it. */
import { QuestionCards } from '../../../src/client/approvals/question-card';
import type { CardSource } from '../../../src/record/cards/stored-card';
import type { WaitingCall } from '../../../src/shapes/turn-view';

const digest = 'a'.repeat(64);
const call = {
  ...{ id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive', digest, state: 'waiting', error: null },
  approval: { expires_at: '2026-11-29T07:00:00.000Z' },
} as unknown as WaitingCall;
const state = {
  reason: 'destructive calls are asked about',
  changes: [],
  untrusted: true,
  asked_at: '2026-11-28T07:00:00.000Z',
  policy: { channel: 'any' as const, quorum: 1, roles: [], four_eyes: false },
  remarks: [],
};
const markdown = '## Waiting for approval: `pay`';
const turn = { agent: 'payables', head: null };
const owner = { turn_id: 't', requester: 'ana' };

function source(more: Partial<CardSource> = {}): CardSource {
  const record = { ...owner, preview_ref: 'b'.repeat(64) };
  return {
    getCall: async () => ({ record, input: { cents: 1 }, target: null }) as never,
    getPart: async () => ({ preview: 'Pays 0.01 EUR.', held: [], makers: ['bob'], target: null }),
    getBlock: async () => Promise.reject(new Error('not asked for')),
    ...more,
  };
}

it('has the facts of the store, the state of the turn and the Markdown', async () => {
  expect(await new QuestionCards(async () => source(), owner).card(call, turn, { markdown, state })).toEqual({
    kind: 'approval',
    agent: 'payables',
    call_id: '1.1',
    revision: 1,
    tool: 'pay',
    version: '1.0.0',
    class: 'destructive',
    digest,
    will_happen: 'Pays 0.01 EUR.',
    acts_on: null,
    input: { cents: 1 },
    held: [],
    requester: 'ana',
    makers: ['bob'],
    words: [],
    ...state,
    expires_at: '2026-11-29T07:00:00.000Z',
    error: null,
    markdown,
  });
});

it.each([
  ['the client has no store', null, state, /no store/],
  [
    'the store has lost the call',
    async () => source({ getCall: () => Promise.reject(new Error('No object')) }),
    state,
    /cannot tell: No object/,
  ],
  ['the store cannot be opened', () => Promise.reject(new Error('ECONNREFUSED')), state, /cannot tell: ECONNREFUSED/],
  ['a worker of an older build answers', async () => source(), undefined, /older build/],
])('says why facts are missing if %s', async (_, from, turnState, why) => {
  const card = await new QuestionCards(from, owner).card(call, turn, { markdown, state: turnState });
  expect(card).toMatchObject({ markdown, digest, incomplete: expect.stringMatching(why) as string });
});

it('of a call in doubt says so', async () => {
  const card = await new QuestionCards(async () => source(), owner).card({ ...call, state: 'in_doubt' }, turn, {
    markdown,
    state,
  });
  expect(card.kind).toBe('in_doubt');
});

describe('where a workflow names the call or the conversation of somebody else', () => {
  const start = (requester: string) => ({
    block: { kind: 'start', parent: null },
    bodies: [{ turn_id: 't', requester, agent: {} }],
  });
  const cardFor = (more: Partial<CardSource>, head: string | null, of: Partial<WaitingCall> = {}) =>
    new QuestionCards(async () => source(more), owner).card({ ...call, ...of }, { ...turn, head }, { markdown, state });
  const foreign = expect.stringMatching(/of another turn/) as string;
  const callOf = (record: object) => ({ getCall: async () => ({ record, input: { iban: 'DE-secret' }, target: null }) as never });

  it.each([
    ['of another requester', { turn_id: 't', requester: 'globex/zoe', preview_ref: null }],
    ['of another turn', { turn_id: 'other', requester: 'ana', preview_ref: null }],
  ])('the card does not show a call %s, and says so', async (_, record) => {
    const card = await cardFor(callOf(record), null);
    expect(card.incomplete).toEqual(foreign);
    expect(JSON.stringify(card)).not.toContain('DE-secret');
  });

  it('the card does not show the words of another requester, and says so', async () => {
    const card = await cardFor({ getBlock: async () => start('globex/zoe') as never }, 'h');
    expect(card.incomplete).toEqual(foreign);
    expect((await cardFor({ getBlock: async () => start('ana') as never }, 'h')).incomplete).toBeUndefined();
  });

  it('the call of a sub-agent’s turn has that turn’s id, and the same requester', async () => {
    const of = { of: { turn_id: 't~1.1' } } as Partial<WaitingCall>;
    const own = { turn_id: 't~1.1', requester: 'ana', preview_ref: null };
    expect((await cardFor(callOf(own), null, of)).incomplete).toBeUndefined();
    expect((await cardFor(callOf({ ...own, requester: 'globex/zoe' }), null, of)).incomplete).toEqual(foreign);
  });
});
