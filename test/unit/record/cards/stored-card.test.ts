/** What a card shows from the store: the call under its digest, and the messages that led to it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conversationBefore, wordsOf } from '../../../../src/record/cards/card-words';
import { messageCard } from '../../../../src/record/cards/message-card';
import { storedCard } from '../../../../src/record/cards/stored-card';
import { admissionBlock, messageBlock, startBlock, steerBlock, type BlockContent } from '../../../../src/record/write-block';
import type { AdmissionCall, StartBody } from '../../../../src/record/blocks';
import { callDigest, callRecord, hashJson } from '../../../../src/shared/json/digests';
import { Draft } from '../../../../src/store/core/transcript';
import { openStore } from '../../../../src/store/open-store';
import type { Store } from '../../../../src/store/store';

const AT = '2026-11-28T07:00:00.000Z';
const TURN = {
  turn_id: 't',
  workflow_id: 'turn/t',
  first_execution_run_id: 'run',
  agent: 'payables',
  requester: 'ana',
  session_id: null,
  trace_id: 'trace',
};

let dir: string;
let store: Store;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-card-'));
  store = await openStore(`file:${dir}`);
});
afterAll(async () => {
  await store.close();
  await rm(dir, { recursive: true, force: true });
});

const start = (more: Partial<StartBody> = {}): BlockContent => {
  const agent = { name: 'payables', prompt_hash: 'p', tools: [] };
  return startBlock({ ...TURN, agent, policy_ref: null, definition_ref: null, ...more });
};
const user = (text: string) => messageBlock('user', [{ type: 'text', text }]);
const answer = messageBlock('assistant', [{ type: 'tool_use', id: 'x', name: 'pay', input: {} }]);
const results = messageBlock('user', [{ type: 'tool_result', tool_use_id: 'x', content: 'paid' }]);
const steer = (by: string, text: string) => steerBlock({ by, text, at: AT, channel: 'update', identity: 'cli' } as never);

/** Appends the blocks and returns the head. */
async function transcript(parent: string | null, ...blocks: BlockContent[]): Promise<string> {
  const draft = new Draft(store, 'run', parent);
  for (const block of blocks) draft.add(block, AT);
  await draft.store();
  return draft.head!;
}

describe('the messages on a card', () => {
  it('are those of the requester and of people who steered the turn, in their order', async () => {
    const head = await transcript(null, start(), user('Pay INV-7.'), answer, results, steer('bob', 'Only half.'), answer);
    expect(await wordsOf(store, head, TURN)).toEqual([
      { from: 'requester', by: 'ana', text: 'Pay INV-7.', cut: false },
      { from: 'steering', by: 'bob', text: 'Only half.', cut: false },
    ]);
  });

  it('have the files of the message, which the text names', async () => {
    const file = { type: 'document', file: 'a'.repeat(64), name: 'inv-7.pdf', media_type: 'application/pdf', size: 48_213 };
    const head = await transcript(null, start(), messageBlock('user', [{ type: 'text', text: 'Pay this.' }, file]), answer);
    expect(await wordsOf(store, head, TURN)).toEqual([
      {
        ...{ from: 'requester', by: 'ana', cut: false, files: [file] },
        text: 'Pay this.\n[document inv-7.pdf, application/pdf, 48213 bytes]',
      },
    ]);
  });

  it('do not include earlier turns of the session', async () => {
    const before = await transcript(null, start(), user('Hello.'), answer);
    const head = await transcript(before, start({ turn_id: 't2' }), user('Pay INV-8.'), answer);
    expect((await wordsOf(store, head, { ...TURN, turn_id: 't2' })).map(({ text }) => text)).toEqual(['Pay INV-8.']);
  });

  it('of a sub-agent’s turn begin with those of the turn above, and name the agent that gave the task', async () => {
    const above = await transcript(null, start(), user('Pay what is due.'), answer);
    const parent = {
      turn_id: 't',
      workflow_id: 'turn/t',
      first_execution_run_id: 'run',
      call_id: '1.1',
      digest: 'd',
      head: above,
    };
    const child = start({ turn_id: 't~1.1', parent: { ...parent, within: [], untrusted: false, depth_left: 1 } });
    const head = await transcript(null, child, user('Pay INV-9 now.'), answer);
    expect(await wordsOf(store, head, { ...TURN, turn_id: 't~1.1' })).toEqual([
      { from: 'requester', by: 'ana', text: 'Pay what is due.', cut: false },
      { from: 'agent', by: 'payables', text: 'Pay INV-9 now.', cut: false },
    ]);
  });

  it('are not those of another turn, above or below', async () => {
    const theirs = await transcript(null, start({ requester: 'zoe' }), user('The password is 1234.'));
    await expect(wordsOf(store, theirs, TURN)).rejects.toThrow(/another turn/);
    const parent = {
      turn_id: 't',
      workflow_id: 'turn/t',
      first_execution_run_id: 'run',
      call_id: '1.1',
      digest: 'd',
      head: theirs,
    };
    const child = start({ turn_id: 't~1.1', parent: { ...parent, within: [], untrusted: false, depth_left: 1 } });
    const head = await transcript(null, child, user('Pay.'));
    await expect(wordsOf(store, head, { ...TURN, turn_id: 't~1.1' })).rejects.toThrow(/another turn/);
  });

  it('are none for a direct call', async () => {
    expect(await wordsOf(store, await transcript(null, start()), TURN)).toEqual([]);
    expect(await wordsOf(store, null, TURN)).toEqual([]);
  });

  it('are cut if they are long, and the first and the latest are shown if they are many', async () => {
    const long = await transcript(null, start(), user('x'.repeat(5000)));
    expect((await wordsOf(store, long, TURN))[0]).toMatchObject({ text: 'x'.repeat(2000), cut: true, missing: 3000 });
    const steers = Array.from({ length: 20 }, (_, index) => steer('bob', `message ${index}`));
    const many = await wordsOf(store, await transcript(null, start(), user('Begin.'), ...steers), TURN);
    expect(many).toHaveLength(12);
    expect(many.at(0)).toMatchObject({ text: 'Begin.' });
    expect(many.at(-1)).toMatchObject({ text: 'message 19' });
  });
});

describe('whether outsiders’ text was read before a call', () => {
  const request = { direct: true as const, requester: 'ana', definition_ref: null, subject: {} as never };
  const admission = (call_id: string, untrusted: boolean) =>
    admissionBlock(request, [{ call_id, facts: { turn: { untrusted } } } as unknown as AdmissionCall]);

  it('is what its admission says, not that of another call or turn; if none says it, it is not known', async () => {
    const before = await transcript(null, start(), user('Hello.'), admission('1.1', true));
    const head = await transcript(
      before,
      start({ turn_id: 't2' }),
      user('Pay.'),
      admission('1.1', false),
      admission('2.1', true),
    );
    const own = { ...TURN, turn_id: 't2' };
    const untrusted = async (callId: string) => (await conversationBefore(store, head, { ...own, call_id: callId })).untrusted;
    expect([await untrusted('1.1'), await untrusted('2.1'), await untrusted('3.1')]).toEqual([false, true, null]);
    expect((await conversationBefore(store, head, { ...own, call_id: '1.1' })).words).toEqual(await wordsOf(store, head, own));
  });
});

describe('the call on a card', () => {
  const input = { cents: 12_500 };
  const target = { account: 'DE02' };

  async function stored(evidence: { preview: string; held: never[]; makers: string[]; target: typeof target }) {
    const turn = { ...TURN, store_id: 'store' };
    const preview_ref = await store.putPart('run', evidence);
    const call = {
      ...{ id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' as const, policy_ref: 'p'.repeat(64) },
      ...{ input_hash: hashJson(input), preview_ref, definition_ref: 'e'.repeat(64), target_hash: hashJson(target) },
    };
    await store.putCalls([{ record: callRecord(turn, call), input, target }]);
    return callDigest(turn, call);
  }

  it('is read by its digest, with the evidence that the digest covers', async () => {
    const digest = await stored({ preview: 'Pays 125 EUR.', held: [], makers: ['bob'], target });
    expect(await storedCard(store, digest)).toMatchObject({
      input,
      target,
      preview: 'Pays 125 EUR.',
      held: [],
      makers: ['bob'],
      record: { requester: 'ana', tool: 'pay' },
    });
  });

  it('is an error if the store does not have it', async () => {
    await expect(storedCard(store, 'f'.repeat(64))).rejects.toThrow(/No object/);
  });
});

describe('the card in a message of a turn', () => {
  const of = (turn_id: string, more: object = {}) => ({ ...TURN, store_id: 'store', turn_id, ...more });
  const input = { cents: 5 };

  /** A call of the turn, and the turn's head. */
  async function asked(turn: ReturnType<typeof of>, ...begins: BlockContent[]) {
    const call = {
      ...{ id: '1.1', revision: 1, tool: 'pay', version: '1.0.0', class: 'destructive' as const, policy_ref: 'p'.repeat(64) },
      ...{ input_hash: hashJson(input), preview_ref: null, definition_ref: 'e'.repeat(64), target_hash: null },
    };
    await store.putCalls([{ record: callRecord(turn, call), input, target: null }]);
    const head = await transcript(null, ...begins);
    return { kind: 'approval' as const, digest: callDigest(turn, call), expires_at: null, head, card_ref: null };
  }

  it('is of a call of this turn, or of one below it', async () => {
    const own = await asked(of('t'), start(), user('Pay.'));
    expect(await messageCard(store, own, TURN)).toMatchObject({ input, words: [{ text: 'Pay.' }] });
    const ids = { turn_id: 't', workflow_id: 'turn/t', first_execution_run_id: 'run', call_id: '1.1', digest: 'd' };
    const parent = { ...ids, head: own.head, within: [], untrusted: false, depth_left: 1 };
    const ofChild = { turn_id: 't~1.1', workflow_id: 'turn/t~1.1', first_execution_run_id: 'below' };
    const below = await asked(of('t~1.1', ofChild), start({ ...ofChild, parent }), user('Do it.'));
    expect(await messageCard(store, below, TURN)).toMatchObject({ input, words: [{ text: 'Pay.' }, { text: 'Do it.' }] });
    expect(await messageCard(store, { ...below, head: null }, TURN)).toBeNull();
  });

  it.each([
    ['turn', { turn_id: 'other' }],
    ['requester', { requester: 'zoe' }],
    ['run under the same id', { first_execution_run_id: 'later' }],
  ])('is not of a call of another %s', async (_, other) => {
    const theirs = await asked(of('t', other), start(other), user('The password is 1234.'));
    expect(await messageCard(store, theirs, TURN)).toBeNull();
    const own = await asked(of('t'), start(), user('Pay.'));
    await expect(messageCard(store, { ...own, head: theirs.head }, TURN)).rejects.toThrow(/another turn/);
  });
});
