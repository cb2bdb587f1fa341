/** A case in the engine: its tools, its decisions, how it ends; and a case that is captured from what such a run has recorded. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { agentTool, askPerson, defineAgent, defineApp, defineTool, type App, type Tool } from '../../../src/index';
import { readCaseFile } from '../../../src/audit/case-file';
import { captureCase, writeCase } from '../../../src/evals/capture';
import { readCases, type CaseFields } from '../../../src/evals/case';
import { runCase, type RunOutcome } from '../../../src/evals/run-case';
import { ask, say, ScriptedModel, type Answer } from '../../support/scripted-model';
import { quietRuntime } from '../support/engine';

let folder: string;
const realCalls: string[] = [];
beforeAll(() => quietRuntime());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-evals-'));
  realCalls.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const tool = (name: string, toolClass: 'read' | 'write' | 'destructive'): Tool =>
  defineTool({
    name,
    version: '1.0.0',
    class: toolClass,
    description: 'Of a test.',
    input: z.object({ invoice: z.string() }),
    run: ({ invoice }) => {
      realCalls.push(`${name} ${invoice}`);
      return { real: invoice };
    },
  });

const tools = [tool('look_up', 'read'), tool('note', 'write'), tool('pay_invoice', 'destructive')];
const payables = defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools })] });
const LOOK = ask(['look_up', { invoice: 'INV-7' }]);
const PAY = ask(['pay_invoice', { invoice: 'INV-7' }]);
const PAID = { tools: { pay_invoice: [{ result: { paid: true } }] } };

async function run(
  fields: CaseFields,
  script: Answer[],
  app: App = payables,
  more: Record<string, string> = {},
): Promise<RunOutcome> {
  for (const [file, text] of Object.entries(more)) writeFileSync(join(folder, file), text);
  writeFileSync(join(folder, 'case.json'), JSON.stringify(fields));
  return runAgain({ one: readCases(folder)[0]!, script, app });
}

function runAgain({ one, script, app }: { one: ReturnType<typeof readCases>[0]; script: Answer[]; app: App }) {
  const own = { provider: new ScriptedModel(script), defaultModel: 'scripted' };
  return runCase({ one, model: null, repetition: 1 }, { app, own }, new AbortController().signal);
}

it('passes, with the results of the case in place of the tools, and its decisions', async () => {
  const expectation = {
    calls: [{ tool: 'look_up' }, { tool: 'pay_invoice', effect: 'applied' }],
    in_order: true,
    text: { includes: 'Paid' },
  };
  const fields = {
    message: 'Pay INV-7.',
    tools: { look_up: [{ input: { invoice: 'INV-7' }, result: { cents: 700 } }], ...PAID.tools },
    decisions: [{ tool: 'pay_invoice', approve: ['ana', 'ben'] }],
    expect: expectation,
  };
  const agent = defineAgent({ name: 'payables', prompt: 'You pay invoices.', tools, approvals: { quorum: 2 } });
  const { run: ran, faults } = await run(fields, [LOOK, PAY, say('Paid.')], defineApp({ agents: [agent] }));
  expect(faults).toEqual([]);
  expect(ran).toMatchObject({ state: 'completed', model: 'scripted', text: 'Paid.', steps: 3, costUsd: null });
  expect(ran.calls).toMatchObject([
    { id: '1.1', tool: 'look_up', result: { cents: 700 }, input: { invoice: 'INV-7' } },
    { id: '2.1', tool: 'pay_invoice', effect: 'applied', result: { paid: true }, approvedBy: ['ana', 'ben'] },
  ]);
  expect(realCalls).toEqual([]);
});

it('runs tools that change nothing, and no others unless the case names them', async () => {
  const note = ask(['note', { invoice: 'INV-7' }]);
  const { faults } = await run({ message: 'Note it.' }, [LOOK, note, say('Done.')]);
  expect(realCalls).toEqual(['look_up INV-7']);
  expect(faults).toEqual(['The case has no result for note, a tool of class write, and does not name it in "real".']);
  expect((await run({ message: 'Note it.', real: ['note'] }, [note, say('Done.')])).faults).toEqual([]);
  expect(realCalls).toEqual(['look_up INV-7', 'note INV-7']);
  expect((await run({ message: 'Look.', real: [] }, [LOOK, say('Done.')])).faults).toEqual([
    'The case has no result for look_up and does not name it in "real".',
  ]);
});

it('fails a run that asks for what was not recorded, and tells the model', async () => {
  const fields = { message: 'Look.', tools: { look_up: [{ input: { invoice: 'INV-8' }, result: {} }] } };
  const { faults, run: ran } = await run(fields, [LOOK, say('Done.')]);
  expect(faults).toEqual(['look_up has no recorded result for {"invoice":"INV-7"}.']);
  expect(ran.calls).toMatchObject([{ state: 'failed', error: { message: expect.stringContaining('no recorded result') } }]);
});

it('gives results for one input in their order, and errors as they were', async () => {
  const error = { code: 'RESOURCE_NOT_FOUND' as const, message: 'No INV-7.' };
  const fields = { message: 'Look.', tools: { look_up: [{ error }, { result: { cents: 7 } }] } };
  const again = ask(['look_up', { invoice: 'INV-7' }]);
  const { run: ran } = await run(fields, [LOOK, again, say('Done.')]);
  expect(ran.calls).toMatchObject([
    { state: 'failed', error: { code: 'RESOURCE_NOT_FOUND', message: 'No INV-7.' } },
    { state: 'succeeded', result: { cents: 7 } },
  ]);
});

it('takes functions of a module for tools, and a rubric', async () => {
  const files = {
    'fakes.cjs': 'module.exports = { look_up: ({ invoice }) => ({ of: invoice }) };',
    'rubric.cjs': 'module.exports = ({ calls }) => ({ score: 0.4, reason: `It has ${calls[0].result.of}.` });',
  };
  const fields = { message: 'Look.', fakes: './fakes.cjs', rubric: './rubric.cjs' };
  const { faults } = await run(fields, [LOOK, say('Done.')], payables, files);
  expect(faults).toEqual(['Rubric ./rubric.cjs: score 0.4, less than 1. It has INV-7.']);
  expect(
    (await run({ ...fields, rubric: { file: 'rubric.cjs', at_least: 0.4 } }, [LOOK, say('Done.')], payables, files)).faults,
  ).toEqual([]);
});

it('says that a rubric threw', async () => {
  const files = { 'rubric.cjs': 'module.exports = () => { throw new Error("no such field"); };' };
  const { faults } = await run({ message: 'Look.', rubric: './rubric.cjs' }, [say('Done.')], payables, files);
  expect(faults).toEqual(['Rubric ./rubric.cjs threw: no such field']);
});

it('settles a call in doubt, and a captured case of it does the same', async () => {
  const asked: string[] = [];
  const probing = defineTool({
    ...{
      name: 'pay_invoice',
      version: '1.0.0',
      class: 'destructive',
      description: 'Pays.',
      input: z.object({ invoice: z.string() }),
    },
    run: () => ({ paid: true }),
    reconcile: ({ invoice }) => {
      asked.push(invoice);
      return 'applied';
    },
  });
  const app = defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'You pay.', tools: [probing] })] });
  const fields: CaseFields = {
    message: 'Pay.',
    tools: { pay_invoice: [{ error: { code: 'NETWORK_ERROR', message: 'The line broke.' } }] },
    decisions: [
      { tool: 'pay_invoice', approve: 'ana' },
      { tool: 'pay_invoice', settle: 'ben', outcome: 'applied' },
    ],
    expect: { calls: [{ tool: 'pay_invoice', effect: 'applied' }] },
  };
  const first = await run(fields, [PAY, say('Paid.')], app);
  expect(first.faults).toEqual([]);
  const made = captureCase(await readCaseFile(first.bundle.map((line) => Buffer.from(line))), { forbid: null });
  expect(made.fields.decisions).toEqual(fields.decisions);
  await writeCase(join(folder, 'again'), made);
  const second = await runAgain({ one: readCases(join(folder, 'again'))[0]!, script: [], app });
  expect(second.faults).toEqual([]);
  expect(second.run.calls).toMatchObject([{ effect: 'applied', result: { settled: 'applied', by: 'ben' } }]);
  expect(asked).toEqual([]);
});

it('ends when a call waits for a decision that the case does not have', async () => {
  const { run: ran, faults } = await run({ message: 'Pay.', ...PAID }, [PAY, say('Paid.')]);
  expect(ran.state).toBe('waiting');
  expect(faults).toEqual(['The turn is waiting, not completed.']);
  expect(
    (await run({ message: 'Pay.', ...PAID, expect: { state: 'waiting', not_run: [{ tool: 'pay_invoice' }] } }, [PAY])).faults,
  ).toEqual([]);
});

it('ends at the time limit of the case', async () => {
  const slow = defineTool({
    ...{ name: 'look_up', version: '1.0.0', class: 'read', description: 'Slow.', input: z.object({ invoice: z.string() }) },
    run: (_, { signal }) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  });
  const app = defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'You look.', tools: [slow] })] });
  const { run: ran } = await run({ message: 'Look.', minutes: 0.01 }, [LOOK], app);
  expect(ran.state).toBe('timeout');
});

it('counts budgets for each run alone', async () => {
  const budgets = [{ name: 'daily', tools: ['pay_invoice'], per: 'agent' as const, windowMs: 86_400_000, cap: 1 }];
  const app = defineApp({ agents: [defineAgent({ name: 'payables', prompt: 'You pay.', tools, budgets })] });
  const fields = { message: 'Pay.', ...PAID, decisions: [{ tool: 'pay_invoice', approve: 'ana' }] };
  for (const _ of [1, 2]) {
    const { run: ran } = await run(fields, [PAY, say('Paid.')], app);
    expect(ran.calls).toMatchObject([{ effect: 'applied' }]);
  }
});

it('gives the files of the case with the message', async () => {
  const model = new ScriptedModel([say('Read.')]);
  writeFileSync(join(folder, 'note.txt'), 'INV-7 is due.');
  writeFileSync(join(folder, 'case.json'), JSON.stringify({ message: 'Read it.', files: ['note.txt'] }));
  const parts = { app: payables, own: { provider: model, defaultModel: 'scripted' } };
  await runCase({ one: readCases(folder)[0]!, model: null, repetition: 1 }, parts, new AbortController().signal);
  expect(JSON.stringify(model.requests[0]!.messages)).toContain('INV-7 is due.');
});

it('asks the model that is named instead of the one of the agent', async () => {
  const own = { provider: new ScriptedModel([say('From the own model.')]), defaultModel: 'scripted' };
  const agent = defineAgent({ name: 'payables', prompt: 'You pay.', tools: [], model: 'a' });
  const models = { a: new ScriptedModel([say('From a.')]), b: new ScriptedModel([say('From b.')]) };
  const parts = { app: defineApp({ agents: [agent], models }), own };
  writeFileSync(join(folder, 'case.json'), JSON.stringify({ message: 'Who?' }));
  const one = readCases(folder)[0]!;
  const { signal } = new AbortController();
  const texts = [null, 'b'].map(async (model) => (await runCase({ one, model, repetition: 1 }, parts, signal)).run);
  expect(await Promise.all(texts)).toMatchObject([
    { model: 'a', text: 'From a.' },
    { model: 'b', text: 'From b.' },
  ]);
});

it.each<[string, CaseFields, RegExp]>([
  ['an agent', { message: 'Pay.', agent: 'nobody' }, /no agent "nobody"; it has payables/],
  ['a tool', { message: 'Pay.', tools: { pay_invoce: [] } }, /pay_invoce/],
  ['a tool that is to run', { message: 'Pay.', real: ['pay_invoce'] }, /pay_invoce/],
])('refuses a case with %s that the app does not have', async (_, fields, reason) => {
  await expect(run(fields, [])).rejects.toThrow(reason);
});

it('refuses a case whose model nobody serves', async () => {
  writeFileSync(join(folder, 'case.json'), JSON.stringify({ message: 'Pay.' }));
  const task = { one: readCases(folder)[0]!, model: null, repetition: 1 };
  await expect(runCase(task, { app: payables, own: null }, new AbortController().signal)).rejects.toThrow(
    'nobody serves its model',
  );
});

describe('a captured case', () => {
  const clerk = defineAgent({ name: 'clerk', prompt: 'You look up.', tools: [tools[0]!] });
  const agent = defineAgent({
    name: 'payables',
    prompt: 'You pay invoices.',
    tools: [...tools, askPerson(), agentTool(clerk, { description: 'Looks invoices up.' })],
  });
  const app = defineApp({ agents: [agent, clerk] });
  const script = [
    ask(['clerk', { task: 'Look INV-7 up.' }]),
    LOOK, // of the clerk
    say('It is 700 cents.'), // of the clerk
    ask(['ask_person', { question: 'Which account?', answer: { kind: 'text' } }]),
    ask(['pay_invoice', { invoice: 'INV-8' }]),
    PAY,
    say('Paid.'),
  ];
  const fields: CaseFields = {
    message: 'Pay INV-7.',
    requester: 'rita',
    tools: { look_up: [{ result: { cents: 700 } }], pay_invoice: [{ result: { paid: true } }] },
    decisions: [
      { tool: 'ask_person', answer: 'rita', value: 'Main' },
      { tool: 'pay_invoice', deny: 'ana', note: 'Not that one.' },
      { tool: 'pay_invoice', edit: 'ben', input: { invoice: 'INV-9' } },
      { tool: 'pay_invoice', approve: 'ana' },
    ],
  };

  it('does the same again without a model, and fails when a rule denies what was done', async () => {
    const first = await run(fields, script, app);
    expect(first.faults).toEqual([]);
    const made = captureCase(await readCaseFile(first.bundle.map((line) => Buffer.from(line))), { forbid: null });
    expect(made.notes).toEqual([]);
    await writeCase(join(folder, 'again'), made);
    const one = readCases(join(folder, 'again'))[0]!;
    const second = await runAgain({ one, script: [], app });
    expect(second.faults).toEqual([]);
    // The clerk's result names its turn.
    const facts = ({ run: ran }: RunOutcome) =>
      ran.calls.map(({ result, error: _, ...call }) => (call.tool === 'clerk' ? call : { ...call, result }));
    expect(facts(second)).toEqual(facts(first));
    expect(second.run).toMatchObject({ model: 'recorded', text: 'Paid.', costUsd: 0 });
    expect(realCalls).toEqual([]);
    const permissions = { deny: ['pay_invoice'] };
    const stricter = defineAgent({ name: 'payables', prompt: 'You pay.', tools: agent.tools, permissions });
    const third = await runAgain({ one, script: [], app: defineApp({ agents: [stricter, clerk] }) });
    expect(third.faults.join('\n')).toContain('The call pay_invoice {"invoice":"INV-9"} (succeeded) was not made');
  });

  it('is not made twice in one place, nor of a call that is not there', async () => {
    const { bundle } = await run({ message: 'Look.' }, [LOOK, say('Done.')]);
    const file = await readCaseFile(bundle.map((line) => Buffer.from(line)));
    const made = captureCase(file, { forbid: { call: '1.1', fields: null } });
    expect(made.fields.expect).toEqual({ state: 'any', not_run: [{ tool: 'look_up', input: { invoice: 'INV-7' } }] });
    await writeCase(join(folder, 'once'), made);
    await expect(writeCase(join(folder, 'once'), made)).rejects.toThrow('There is already a case');
    expect(() => captureCase(file, { forbid: { call: '9.9', fields: null } })).toThrow(
      'no call 9.9 with an input; its calls: 1.1 look_up',
    );
    expect(() => captureCase(file, { forbid: { call: '1.1', fields: ['cents'] } })).toThrow('has no cents; it has invoice');
  });
});
