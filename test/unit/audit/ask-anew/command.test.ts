/** The command line for a turn that is asked anew: who is asked, what it says, and what it cannot do. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { auditWhatIf } from '../../../../src/cli/audit-what-if';
import { openAskedModel } from '../../../../src/cli/support/asked-model';
import { Exit, UsageError } from '../../../../src/cli/support/exit';
import { defineAgent, defineApp, type App } from '../../../../src/agents/define';
import { loadConfig } from '../../../../src/config';
import { anthropic } from '../../../../src/model/factories';
import { ModelFailure, type ModelRequest } from '../../../../src/model/provider';
import { ask, say, ScriptedModel, type Answer } from '../../../support/scripted-model';

const mockApps = new Map<string, App>();
jest.mock('../../../../src/agents/load-app', () => ({ loadApp: async (file: string) => mockApps.get(file) }));

const PLAIN = join(__dirname, '../../../bundles/plain.jsonl');
const PRICES = { input: 1000, output: 1000, cacheRead: 0, cacheWrite: 0 };

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-anew-'));
  await writeFile(join(dir, 'prompt.md'), 'Answer in verse.');
  await writeFile(join(dir, 'empty.md'), ' \n');
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('says what it cost, what was decided, and exits with 0 for the same calls', async () => {
  serve([ask(['lookup', { key: 'a' }]), say('Found.')]);
  const { code, text, notes, value } = await run('--model', 'other', '--app', 'app.js');
  expect(code).toBe(0);
  expect(notes).toContain('With other, its tokens would cost about $0.2200');
  expect(text).toContain('= 1.1  lookup {"key":"a"}: answered by 1.1 (succeeded)');
  expect(text).toContain('now: other, 2 steps, 200 tokens in and 20 out, $0.2200');
  expect(text).toContain('answer now: Found.');
  expect(text).toContain('No tool was run');
  expect(value).toMatchObject({ differs: false, now: { cost_usd: 0.22, end: { how: 'answered' } } });
});

test('exits with 1 where it leaves the record, and at the limit', async () => {
  serve([ask(['lookup', { key: 'b' }])]);
  const left = await run('--model', 'other', '--app', 'app.js', '--prompt', join(dir, 'prompt.md'));
  expect(left).toMatchObject({ code: 1, value: { other_prompt: true, now: { end: { how: 'left_record', call_id: '1.1' } } } });
  expect(left.text).toContain('the record has 1.1  lookup {"key":"a"}');
  serve([ask(['lookup', { key: 'a' }])]);
  expect((await run('--model', 'other', '--app', 'app.js', '--max-usd', '0.1')).text).toContain('the limit of $0.1');
});

test('the options of the agent go to the vendor for which they were written only', async () => {
  const model = serve([say('x')]);
  const other = await openAskedModel(loadConfig({}), mockApps.get('app.js')!, 'other');
  const request = { system: '', messages: [], tools: [], maxTokens: 1, options: { thinking: { type: 'adaptive' } } };
  await other.ask(request, 'anthropic');
  expect((model.requests[0] as ModelRequest).options).toEqual({ temperature: 0 });
});

test('what the agent says of thinking goes to a model whose vendor has a form for it', async () => {
  const model = serve([say('x'), say('x')]);
  const other = await openAskedModel(loadConfig({}), mockApps.get('app.js')!, 'other');
  const request = { system: '', messages: [], tools: [], maxTokens: 1, options: {}, thinking: 'low' as const };
  await other.ask(request, 'anthropic');
  expect(model.requests[0]).not.toHaveProperty('thinking');
  Object.assign(model, { thinkingFault: () => null });
  await other.ask(request, 'anthropic');
  expect(model.requests[1]).toHaveProperty('thinking', 'low');
});

test('JSON without a call is the result of an agent that gives one, as for a worker', async () => {
  serve([say('{"n": 1}')]);
  const other = await openAskedModel(loadConfig({}), mockApps.get('app.js')!, 'other');
  const request = { system: '', messages: [], tools: [], maxTokens: 1, options: {} };
  const { response } = await other.ask({ ...request, resultTool: 'give_result' }, 'anthropic');
  expect(response.content).toMatchObject([{ type: 'tool_use', name: 'give_result' }]);
  expect(response.rawToolInputs).toMatchObject([{ json: '{"n": 1}' }]);
});

test.each<[string, string[], RegExp]>([
  ['a model that nobody serves', ['--model', 'gpt'], /Nobody serves the model "gpt": set a key/],
  [
    'a model that the app does not have',
    ['--model', 'gpt', '--app', 'app.js'],
    /The app has no model "gpt"; it has other, keyless/,
  ],
  [
    'a model without a key',
    ['--model', 'keyless', '--app', 'app.js'],
    /ANTHROPIC_API_KEY is not set: set it, or `apiKey` of the model/,
  ],
  [
    'a limit without a price',
    ['--model', 'free', '--app', 'unpriced.js', '--max-usd', '1'],
    /No price of the model free is known/,
  ],
  ['an empty prompt', ['--prompt', 'empty.md'], /empty\.md holds no prompt/],
  ['no such prompt', ['--prompt', 'none.md'], /none\.md holds no prompt/],
  ['rules beside it', ['--model', 'other', '--limits', '{"steps": 1}'], /without --model and --prompt/],
  ['a limit alone', ['--max-usd', '1'], /go with --model or --prompt/],
])('explains a bad argument: %s', async (_what, args, message) => {
  serve([]);
  const error: unknown = await run(...args.map((arg) => (arg.endsWith('.md') ? join(dir, arg) : arg))).catch((e: unknown) => e);
  expect(error).toBeInstanceOf(UsageError);
  expect((error as Error).message).toMatch(message);
});

test('a failure of the model is told in its own words', async () => {
  serve([new ModelFailure('The key lacks access.', { type: 'model.permission', retryable: false, status: 403 })]);
  await expect(run('--model', 'other', '--app', 'app.js')).rejects.toThrow(new UsageError('The key lacks access.'));
});

/** An app with a scripted model, in place of a file. */
function serve(script: Answer[]): ScriptedModel {
  const provider = new ScriptedModel(script);
  const agentOf = (model: string) => [defineAgent({ name: 'tester', model, prompt: 'Test.', tools: [] })];
  const other = { provider, prices: PRICES, options: { temperature: 0 } };
  const models = { other, keyless: anthropic({ model: 'claude-opus-5-5' }) };
  mockApps.set('app.js', defineApp({ agents: agentOf('other'), models }));
  mockApps.set('unpriced.js', defineApp({ agents: agentOf('free'), models: { free: { provider } } }));
  return provider;
}

async function run(...args: string[]): Promise<{ code: number; value: unknown; text: string; notes: string }> {
  let said: { value: unknown; lines: string[] } = { value: null, lines: [] };
  const notes: string[] = [];
  const program = new Command('audit').exitOverride();
  const output = {
    json: false,
    say: () => undefined,
    note: (line: string) => void notes.push(line),
    answer: (value: unknown, lines: string[]) => void (said = { value, lines }),
  };
  auditWhatIf(program, () => output);
  const code = await program.parseAsync(['what-if', PLAIN, ...args], { from: 'user' }).then(
    () => 0,
    (error: unknown) => {
      if (error instanceof Exit) return error.code;
      throw error;
    },
  );
  return { code, value: said.value, text: said.lines.join('\n'), notes: notes.join('\n') };
}
