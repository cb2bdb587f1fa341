/** A run that is sent again: one that was refused is judged anew, and one that may have been carried out goes on. */
import type { Principal } from '../../../../src/gateway/auth/principals';
import { openRun } from '../../../../src/protocols/agui/open-run';
import type { RunInput } from '../../../../src/protocols/agui/run-input';
import { FileStore } from '../../../../src/store/files/file-store';
import { gatewayParts } from '../../../support/gateway';
import { removeStoreDirs, storeDir } from '../../../support/store/store-dir';

afterAll(removeStoreDirs);

const principal: Principal = { name: 'acme/vera', tenant: 'acme', roles: ['starter', 'approver'] };
const [first, second] = ['a'.repeat(64), 'b'.repeat(64)] as [string, string];
const yes = (interruptId: string) => ({ interruptId, status: 'resolved', payload: { approved: true } });

/** A thread with a session, in which a turn runs. */
async function threadWith(pending: string[]) {
  const thread = {
    running: 'turn-1' as string | null,
    pending,
    /** Messages by their id, and the digests that somebody has decided on. */
    sent: new Map<string, string>(),
    decisions: [] as string[],
    /** What happens before the next message is taken, and before the session says what runs. */
    beforeSend: [] as (() => Promise<unknown>)[],
    beforeStatus: [] as (() => Promise<unknown>)[],
  };
  const session = {
    find: async () => ({ agent: 'tester', requester: principal.name }),
    status: async () => {
      await thread.beforeStatus.shift()?.();
      return { running: thread.running === null ? null : { turn_id: thread.running } };
    },
    send: async (text: string, { id }: { id: string }) => {
      await thread.beforeSend.shift()?.();
      thread.sent.set(id, text);
      return { turn_id: `turn-of-${text}` };
    },
  };
  const view = async () => ({ pending: thread.pending });
  const turn = (id: string) => ({
    id,
    status: view,
    waiting: async () => ({ questions: thread.pending.map((digest) => ({ digest, card: { kind: 'approval' } })) }),
    doneBefore: async () => (thread.decisions.push(id), { accepted: {} }),
  });
  const look = async (id: string) => ({ summary: { turn_id: id, requester: principal.name }, owner: null, view });
  const client = async () => ({ session: () => session, look, turn }) as never;
  const parts = { ...gatewayParts({ people: [], store: await FileStore.open(storeDir()), client }), startLimit: null };
  const run = (over: Partial<RunInput>) => {
    const { resume = [], lastMessage = 'Pay.' } = over;
    const request = resume.length > 0 ? { resume } : { message: lastMessage };
    const common = { threadId: 'chat', runId: 'run', messages: [], seen: null, unused: { tools: 0, context: 0, state: false } };
    const input = { ...common, resume, message: lastMessage, lastMessage, request, ...over } as RunInput;
    return openRun(parts, { principal, agent: 'tester', input });
  };
  return { thread, run };
}

const answers = (...resume: object[]) => ({ resume }) as never as Partial<RunInput>;

it.each<[string, string[], Partial<RunInput>]>([
  ['no_message', [], { message: null }],
  ['interrupts_open', [first], {}],
  ['answer_missing', [first, second], answers(yes(first))],
  ['answered_twice', [first], answers(yes(first), yes(first))],
  ['not_waiting', [first], answers(yes(first), yes(second))],
  ['bad_answer', [first], answers({ ...yes(first), payload: {} })],
])('a run that was refused as %s is refused again, and does nothing', async (reason, pending, over) => {
  const { thread, run } = await threadWith(pending);
  for (let times = 0; times < 3; times += 1) await expect(run(over)).rejects.toMatchObject({ wrong: { reason } });
  expect([[...thread.sent], thread.decisions]).toEqual([[], []]);
});

it('a run that was refused is taken once nothing speaks against it any more', async () => {
  const { thread, run } = await threadWith([first]);
  await expect(run({})).rejects.toMatchObject({ wrong: { reason: 'interrupts_open' } });
  thread.pending = [];
  expect((await run({})).turn.id).toBe('turn-of-Pay.');
  expect([...thread.sent.values()]).toEqual(['Pay.']);
});

it('answers that were refused are for the turn that runs when they are sent again', async () => {
  const { thread, run } = await threadWith([first]);
  const resume = answers({ interruptId: second, status: 'cancelled' });
  await expect(run(resume)).rejects.toMatchObject({ wrong: { reason: 'answer_missing' } });
  Object.assign(thread, { running: 'turn-2', pending: [second] });
  expect((await run(resume)).turn.id).toBe('turn-2');
});

it('a message that was taken, and whose answer was lost, is sent again under its id, whatever waits by then', async () => {
  const { thread, run } = await threadWith([]);
  thread.beforeSend.push(async () => {
    thread.pending = [first];
    throw new Error('the connection broke');
  });
  await expect(run({})).rejects.toThrow('the connection broke');
  expect((await run({ message: null })).turn.id).toBe('turn-of-Pay.');
  expect((await run({})).turn.id).toBe('turn-of-Pay.');
  expect(thread.sent.size).toBe(1);
});

it('answers that were taken go on with their turn, also once nothing waits and nothing runs', async () => {
  const { thread, run } = await threadWith([first]);
  const resume = answers({ interruptId: first, status: 'cancelled' });
  await run(resume);
  Object.assign(thread, { pending: [], running: null });
  expect((await run(resume)).turn.id).toBe('turn-1');
});

it('a run that is sent twice at once is one run: what the first has begun does not refuse the second', async () => {
  const { thread, run } = await threadWith([]);
  thread.beforeStatus.push(async () => {
    expect((await run({})).turn.id).toBe('turn-of-Pay.');
    thread.pending = [first];
  });
  expect((await run({})).turn.id).toBe('turn-of-Pay.');
  expect(thread.sent.size).toBe(1);
});
