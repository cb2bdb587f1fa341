/** Inputs whose check takes long, of a hook with I/O and of an approver: each is checked in a thread before it is judged. */
import { decideCall } from '../../../src/activities/admission/decide-call';
import { editedCall } from '../../../src/activities/admission/edited-call';
import type { Dependencies } from '../../../src/activities/ports';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { JsonObject } from '../../../src/shared/json/json';
import type { BeforeHook } from '../../../src/tools/admit/hooks';
import { Registry } from '../../../src/tools/catalogue/registry';
import { silent } from '../../support/silent';
import { LONG_INPUT, slowToCheck } from '../../support/tools';

const deps = { log: silent, store: { putPart: async () => 'part' } } as unknown as Dependencies;
const pads: BeforeHook = { name: 'pads', io: true, run: () => ({ input: LONG_INPUT, why: 'it was short' }) };

test('an input that a hook with I/O gives', async () => {
  const result = await decideCall(deps, requestWith({ undecided: { untrusted: false, denials: {} } }), ...agentWith(pads), {});
  expect(result).toMatchObject({ ok: true, input: LONG_INPUT });
});

test('an input that a hook with I/O gives for the edit of an approver', async () => {
  const result = await editedCall(deps, requestWith({ edit: editOf({}) }), ...agentWith(pads), { pad: 'y' });
  expect(result).toMatchObject({ ok: true, input: LONG_INPUT });
});

test('the edit of an approver, in any order of its fields', async () => {
  const edit = editOf({ text: LONG_INPUT.text, pad: LONG_INPUT.pad });
  const result = await editedCall(deps, requestWith({ edit }), ...agentWith(), {});
  expect(result).toMatchObject({ ok: true, input: LONG_INPUT });
});

function agentWith(...before: BeforeHook[]) {
  const agent = defineAgent({ name: 'tester', prompt: 'Test.', tools: [slowToCheck], hooks: { before } });
  const prepared = new Registry(defineApp({ agents: [agent] })).agent('tester')!;
  return [prepared, prepared.tools.get('note')!] as const;
}

function editOf(input: JsonObject) {
  return { input, by: 'zoe', note: null, identity: 'zoe' };
}

function requestWith(more: object): never {
  const turn = { requester: 'ana', agent: 'tester', first_execution_run_id: 'run' };
  return { turn, call: { id: '1.1', tool: 'note', version: '1.0.0' }, ...more } as never;
}
