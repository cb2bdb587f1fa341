/** A recorded turn is asked anew: its calls are answered from the record, and where it leaves the record it ends. */
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { askAnew, CannotAskError, type Anew, type AskedAnew, type AskedModel } from '../../../../src/audit/ask-anew';
import { readCaseFile } from '../../../../src/audit/case-file';
import type { CaseFile } from '../../../../src/audit/case-file/types';
import { ask, say, ScriptedModel, type Answer } from '../../../support/scripted-model';

const COST = 0.25;

test('the same calls get the recorded answers, and nothing differs', async () => {
  const { asked, model } = await anew('plain', [ask(['lookup', { key: 'a' }]), say('Found: a.')]);
  expect(asked).toMatchObject({
    differs: false,
    sameAnswer: false,
    calls: [{ callId: '1.1', tool: 'lookup', answeredBy: { callId: '1.1', state: 'succeeded' } }],
    was: { model: 'scripted', steps: 2, answer: 'Done.' },
    now: { model: 'other', steps: 2, costUsd: 2 * COST, answer: 'Found: a.', end: { how: 'answered' } },
    notMade: [],
  });
  expect(model.requests[1]!.messages.at(-1)!.content).toEqual([
    { type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: '{"success":true,"data":"value of a"}' }] },
  ]);
});

test('the model gets the recorded prompt and tools, or another prompt', async () => {
  const plain = await anew('plain', [say('Done.')]);
  expect(plain.model.requests[0]!.tools.map(({ name }) => name)).toEqual(['pay', 'lookup', 'read_result']);
  expect(plain.asked.otherPrompt).toBe(false);
  const other = await anew('plain', [say('Done.')], { prompt: 'Answer in verse.' });
  expect(other.model.requests[0]!.system).toBe('Answer in verse.');
  expect(other.model.requests[0]!.messages).toEqual(plain.model.requests[0]!.messages);
  expect(other.asked).toMatchObject({ otherPrompt: true, sameAnswer: true, differs: true, notMade: [{ callId: '1.1' }] });
});

test('another input leaves the record: the turn ends there, with the recorded call beside it', async () => {
  const { asked } = await anew('by_input', [ask(['pay', { invoice: 'INV-7', cents: 999 }]), say('never asked')]);
  expect(asked).toMatchObject({
    differs: true,
    now: { steps: 1, end: { how: 'left_record', call: '1.1', reason: expect.stringContaining('with this input') } },
    calls: [{ answeredBy: null, nearest: { callId: '1.1', input: '{"invoice":"INV-7","cents":700}' } }],
  });
  expect(asked.notMade.map(({ callId }) => callId)).toEqual(['1.1', '1.2']);
});

test.each<[string, Answer, string]>([
  ['a tool that was never called', ask(['lookup', { key: 'a' }]), 'never called this tool'],
  ['the same call twice', ask(['pay', { invoice: 'INV-7', cents: 700 }], ['pay', { cents: 700, invoice: 'INV-7' }]), 'are used'],
])('%s leaves the record', async (_what, answer, reason) => {
  const { asked } = await anew('by_input', [answer]);
  expect(asked.now.end).toMatchObject({ how: 'left_record', reason: expect.stringContaining(reason) });
});

test('the order of fields and of the calls of one step mean nothing', async () => {
  const calls = ask(['pay', { cents: 500, invoice: 'INV-8' }], ['pay', { cents: 700, invoice: 'INV-7' }]);
  const { asked } = await anew('by_input', [calls, say('Paid.')]);
  expect(asked).toMatchObject({ differs: false, sameAnswer: true, calls: [{ answeredBy: { callId: '1.2' } }, {}] });
});

test('a call that a person changed is answered as then, and as the person wanted it', async () => {
  for (const cents of [700, 350]) {
    const { asked, model } = await anew('edited', [ask(['pay', { invoice: 'INV-7', cents }]), say('Paid.')]);
    expect(asked.calls).toMatchObject([{ answeredBy: { callId: '1.1' } }]);
    expect(JSON.stringify(model.requests[1]!.messages.at(-1))).toContain('changed cents from 700 to 350');
  }
});

test('an answer counts only after the effects that came before it', async () => {
  const file = await fileOf('by_input');
  const [first, second] = file.turns[0]!.calls;
  // As if the second payment had been a look at what the first one did.
  Object.assign(second!, { step: 2, id: '2.1', class: 'read' });
  expect(first!.state).toBe('succeeded');
  const { asked } = await anewOf(file, [ask(['pay', { invoice: 'INV-8', cents: 500 }])]);
  expect(asked.now.end).toMatchObject({ reason: 'in the record, pay (1.1) had run before 2.1, and here it has not' });
});

test('limits end it before the next request', async () => {
  const { asked, model } = await anew('plain', [ask(['lookup', { key: 'a' }]), say('x')], { limits: { maxUsd: 0.2 } });
  expect(asked.now.end).toEqual({ how: 'limit', reason: 'the limit of $0.2 ($0.2500 used)' });
  expect(model.requests).toHaveLength(1);
});

test('a question that was left out cannot be asked, nor a turn without its definition', async () => {
  const redacted = await fileOf('plain');
  const question = redacted.turns[0]!.transcript.find(({ kind }) => kind === 'message')!;
  question.bodies = [question.bodies[0]!, null];
  await expect(anewOf(redacted, [say('x')])).rejects.toThrow(CannotAskError);
  const bare = await fileOf('plain');
  bare.objects.clear();
  await expect(anewOf(bare, [say('x')])).rejects.toThrow(/does not have the agent's definition/);
  await expect(anew('call', [say('x')])).rejects.toThrow(/direct call/);
  await expect(anew('plain', [say('x')], { agent: 'z' })).rejects.toThrow(/no turn of agent "z"; it has: tester/);
});

test('an answer that was left out ends the new turn', async () => {
  const file = await fileOf('plain');
  const results = file.turns[0]!.transcript.filter(({ kind }) => kind === 'message')[2]!;
  results.bodies = [results.bodies[0]!, null];
  const { asked } = await anewOf(file, [ask(['lookup', { key: 'a' }])]);
  expect(asked.now.end).toMatchObject({ how: 'left_record', reason: expect.stringContaining('left out') });
});

test('the same result of an agent that gives data ends it as it ended the recorded turn; other data leaves the record', async () => {
  const wrong = ask(['give_result', { invoice: 'INV-7', cents: '700' }]);
  const script = (cents: number) => [ask(['lookup', { key: 'INV-7' }]), wrong, ask(['give_result', { cents, invoice: 'INV-7' }])];
  const { asked, model } = await anew('typed', script(700));
  expect(asked).toMatchObject({
    differs: false,
    sameAnswer: true,
    was: { state: 'completed', answer: '{"invoice": "INV-7", "cents": 700}' },
    now: { steps: 3, end: { how: 'answered' }, answer: '{"invoice": "INV-7", "cents": 700}' },
    notMade: [],
  });
  expect(model.requests[0]!.resultTool).toBe('give_result');
  expect(JSON.stringify(model.requests[2]!.messages.at(-1))).toContain('/cents');
  const other = await anew('typed', script(701));
  expect(other.asked).toMatchObject({ differs: true, now: { end: { how: 'left_record', call: '3.1' } } });
});

async function fileOf(name: string): Promise<CaseFile> {
  return readCaseFile(createReadStream(join(__dirname, '../../../bundles', `${name}.jsonl`)));
}

async function anew(name: string, script: Answer[], how: Anew = {}): Promise<{ asked: AskedAnew; model: ScriptedModel }> {
  return anewOf(await fileOf(name), script, how);
}

async function anewOf(file: CaseFile, script: Answer[], how: Anew = {}): Promise<{ asked: AskedAnew; model: ScriptedModel }> {
  const model = new ScriptedModel(script);
  const { signal } = new AbortController();
  const other: AskedModel = {
    name: 'other',
    provider: 'scripted',
    ask: async (request) => ({
      response: await model.request({ ...request, model: 'other', serverTools: [] }, { signal }),
      costUsd: COST,
    }),
  };
  return { asked: await askAnew(file, other, how), model };
}
