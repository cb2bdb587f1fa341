/** `holdfast eval` as a program, with a model behind the real Messages API. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../../src/shared/json/json';
import type { WireAnswer, WireServer } from '../../../src/testing/model-conformance';
import { MESSAGES } from '../../support/model/wires/messages';
import { startWireServer } from '../../support/model/wires/server';
import { run as runHere } from '../../support/command-line';
import { environment, run, start } from './support/cli';

const APP = join(__dirname, 'fixtures/evals.app.ts');

const PAYS: object = {
  message: 'Pay INV-7.',
  tools: { look_up: [{ result: { cents: 700 } }], pay_invoice: [{ result: { paid: true } }] },
  decisions: [{ tool: 'pay_invoice', approve: 'ana' }],
  expect: {
    calls: [
      { tool: 'look_up', input: { invoice: 'INV-7' } },
      { tool: 'pay_invoice', effect: 'applied' },
    ],
    in_order: true,
  },
};
const NEVER_PAYS = { ...PAYS, expect: { not_called: [{ tool: 'pay_invoice' }] } };

/** Looks the invoice up, pays it, and says so. */
function pays({ messages }: JsonObject): WireAnswer {
  const step = (messages as JsonObject[]).filter(({ role }) => role === 'assistant').length;
  const json = JSON.stringify({ invoice: 'INV-7' });
  const usage = { input: 1000, output: 100, cacheRead: 0 };
  if (step > 1) return { text: 'Paid <INV-7> & done.', usage };
  return { calls: [{ id: `use_${step}`, name: ['look_up', 'pay_invoice'][step]!, json }], usage };
}

let folder: string;
let model: WireServer;
let env: NodeJS.ProcessEnv;
beforeAll(async () => void (model = await startWireServer(MESSAGES, pays)));
afterAll(() => model.close());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-eval-'));
  env = environment({
    HOLDFAST_HOME: join(folder, 'home'),
    ANTHROPIC_API_KEY: 'test',
    ANTHROPIC_BASE_URL: model.baseUrl,
    ANTHROPIC_MODEL: 'claude-haiku-4-5',
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Writes cases, and runs them. */
function evalRun(cases: Record<string, object>, ...args: string[]) {
  const path = join(folder, 'cases');
  mkdirSync(path, { recursive: true });
  for (const [name, one] of Object.entries(cases)) writeFileSync(join(path, `${name}.json`), JSON.stringify(one));
  return ['eval', 'run', path, '--app', APP, ...args];
}

it('runs a folder of two cases, one of which fails: table, progress, JUnit, bundle, exit code 1; and compares the next run with it', async () => {
  const junit = join(folder, 'junit.xml');
  const bundles = join(folder, 'bundles');
  const args = evalRun({ pays: PAYS, never: NEVER_PAYS }, '--junit', junit, '--bundles', bundles);
  const { code, stdout, stderr } = await run(args, env);
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(/\[2\/2\]/) });
  expect(stdout).toMatch(/^case +model +passed +cost +time\n/);
  expect(stdout).toMatch(/\nnever +claude-haiku-4-5 +0\/1 +\$0\.0045 +\d+\.\d s\n/);
  expect(stdout).toMatch(/\npays +claude-haiku-4-5 +1\/1 +\$0\.0045 +/);
  expect(stdout).toContain('  - The call pay_invoice {"invoice":"INV-7"} (2.1, ');
  expect(stdout).toContain('1 of 2 runs passed; cost $0.0090.');

  const parse =
    'import sys, xml.etree.ElementTree as E; r = E.parse(sys.argv[1]).getroot(); print(r.tag, [c.get("name") for c in r.iter("testcase")], len(list(r.iter("failure"))))';
  expect(execFileSync('python3', ['-c', parse, junit], { encoding: 'utf8' })).toBe("testsuites ['never', 'pays'] 1\n");

  expect(readdirSync(bundles)).toEqual(['never-claude-haiku-4-5-1.jsonl']);
  expect((await run(['audit', 'verify', join(bundles, 'never-claude-haiku-4-5-1.jsonl')], env)).stdout).toContain(
    'signer unknown',
  );
});

it('captures a bundle in one command, and runs it without any model', async () => {
  const incident = join(__dirname, '../../../docs/incidents/memo-3.jsonl');
  const into = join(folder, 'incidents');
  const made = await run(['eval', 'capture', incident, '--into', into, '--forbid', '2.1:recipient'], env);
  expect(made).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('memo-3/case.yaml') });
  expect(readFileSync(join(into, 'memo-3/case.yaml'), 'utf8')).toContain('recipient: credit-committee@bank.example.net');
  const asked = model.requests.length;
  // The agent that ships asks a person, and nobody decides.
  const { code, stdout } = await run(['eval', 'run', into, '--json'], env);
  expect(JSON.parse(stdout).results).toMatchObject([{ case: 'memo-3', model: 'recorded', passed: true }]);
  expect(code).toBe(0);
  expect(model.requests).toHaveLength(asked);
});

it('ends at Ctrl-C: the turn is cancelled, and no results are kept', async () => {
  const slow = await startWireServer({ ...MESSAGES, frames: () => [] });
  const hangs = { ...env, ANTHROPIC_BASE_URL: slow.baseUrl };
  try {
    const child = start(evalRun({ one: PAYS }), hangs);
    while (slow.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 50));
    child.kill('SIGINT');
    expect(await child.ended).toMatchObject({ code: 130, stdout: expect.stringContaining('0 of 0 runs passed') });
    expect(existsSync(join(folder, 'home/evals'))).toBe(false);
  } finally {
    await slow.close();
  }
});

it.each<[string, string[], NodeJS.ProcessEnv, RegExp]>([
  ['a folder that is not there', ['eval', 'run', '/no/such/folder'], {}, /no folder of cases/],
  ['a case that is not there', ['--case', 'none'], {}, /no case "none"; there are one/],
  ['a limit of cost that does not bind', ['--model', 'my-model', '--max-cost', '1'], {}, /No price of the model my-model/],
  ['recorded answers that there are not', ['--model', 'recorded'], {}, /one has no recorded answers/],
  ['no model', [], { ANTHROPIC_API_KEY: undefined, ANTHROPIC_BASE_URL: undefined }, /nobody serves its model/],
  ['a baseline that is not there', ['--baseline', '/no/such/file'], {}, /baseline \/no\/such\/file cannot be read/],
  ['no number', ['--repeat', '0'], {}, /whole number from 1/],
])('says what is wrong with %s: exit code 2', async (_, args, more, reason) => {
  const whole = args[0] === 'eval' ? args : evalRun({ one: PAYS }, ...args);
  expect(await runHere(whole, { ...env, ...more })).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(reason) });
});
