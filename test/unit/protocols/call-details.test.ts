/** The inputs and results of a turn's calls, of which its workflow says where they are. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CallDetails } from '../../../src/protocols/turns/call-details';
import type { AdmissionCall, StartBody } from '../../../src/record/blocks';
import { admissionBlock, messageBlock, startBlock } from '../../../src/record/write-block';
import { Draft } from '../../../src/store/core/transcript';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';

const AT = '2026-11-28T07:00:00.000Z';
const TURN = { turn_id: 't', requester: 'ana', first_execution_run_id: 'run' };

let folder: string;
let store: Store;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-details-'));
  store = await FileStore.open(folder);
});
afterAll(async () => {
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** The heads after each of two steps, and the results of their calls. */
async function recorded(turn: typeof TURN) {
  const run = turn.first_execution_run_id;
  const draft = new Draft(store, run, null);
  draft.add(startBlock({ ...turn, workflow_id: 'turn/t', agent: { name: 'payables' } } as unknown as StartBody), AT);
  const refs: string[] = [];
  const heads: string[] = [];
  for (const call_id of ['1.1', '2.1']) {
    draft.add(messageBlock('user', [{ type: 'text', text: 'Go on.' }]), AT);
    const request = { direct: true as const, requester: turn.requester, definition_ref: null, subject: {} as never };
    draft.add(admissionBlock(request, [{ call_id, input: { secret: `input ${call_id}` } } as unknown as AdmissionCall]), AT);
    const envelope = { success: true, data: 'a result', metadata: { tool_name: 'pay', cache: { hit: false } } } as never;
    const part = { turn_id: turn.turn_id, session_id: null, call_id, envelope, summary: '', inline: true };
    refs.push(await store.putPart(run, part));
    await draft.store();
    heads.push(draft.head!);
  }
  return { heads, refs };
}

function detailsOf(view: { head: string | null; calls: object[] }) {
  return new CallDetails(store, { status: async () => view } as never, TURN);
}

it('are those that the store has for the turn, step by step', async () => {
  const { heads, refs } = await recorded(TURN);
  const view = { head: heads[0]!, calls: [{ id: '1.1', result_ref: refs[0] }] };
  const details = detailsOf(view);
  expect(await details.input('1.1')).toEqual({ secret: 'input 1.1' });
  expect(await details.input('2.1')).toBeNull();
  view.head = heads[1]!;
  expect(await details.input('2.1')).toEqual({ secret: 'input 2.1' });
  expect(await details.result('1.1')).toContain('a result');
});

it.each([
  ['turn', { turn_id: 'other' }],
  ['requester', { requester: 'zoe' }],
  ['run under the same id', { first_execution_run_id: 'later' }],
])('are none if they are of another %s', async (what, other) => {
  const { heads, refs } = await recorded({ ...TURN, ...other });
  const details = detailsOf({ head: heads[1]!, calls: [{ id: '1.1', result_ref: refs[0] }] });
  expect([await details.input('1.1'), await details.input('2.1')]).toEqual([null, null]);
  if (what !== 'requester') expect(await details.result('1.1')).toBeNull();
});
