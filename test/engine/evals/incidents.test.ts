/** The incidents of docs/incidents as cases: they fail under the rules of then, and pass under the fixed ones, without a model. */
import { createReadStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { sendCreditMemo } from '../../../packs/finance/src/tools/send-credit-memo';
import { defineAgent, defineApp, defineTool, type App } from '../../../src/index';
import { readCaseFile } from '../../../src/audit/case-file';
import { captureCase, writeCase } from '../../../src/evals/capture';
import { readCases } from '../../../src/evals/case';
import { runCase, type RunOutcome } from '../../../src/evals/run-case';
import type { AgentDefinition } from '../../../src/agents/agent';
import { quietRuntime } from '../support/engine';

const INCIDENTS = join(__dirname, '../../../docs/incidents');

const fixed = (name: string) => JSON.parse(readFileSync(join(INCIDENTS, `${name}-fixed.json`), 'utf8'));
const RULES: Partial<AgentDefinition> = { permissions: fixed('rules') };
const APPROVALS: Partial<AgentDefinition> = { approvals: fixed('approvals') };
const THEN: Record<string, Partial<AgentDefinition>> = {
  'memo-1': {},
  'memo-2': {},
  'memo-3': { permissions: { allow: ['send_credit_memo(*@bank.example*)'] } },
};

const neverRun = (): never => {
  throw new Error('a real tool must not run in these cases');
};

const fetchSection = defineTool({
  name: 'fetch_filing_section',
  version: '1.0.0',
  class: 'read',
  untrustedOutput: true,
  description: 'Reads one section of an annual report, as the company has filed it.',
  input: z.object({ ticker: z.string(), section: z.string() }),
  run: neverRun,
});

const sendMemo = sendCreditMemo({ from: 'analyst@bank.example', send: neverRun });

const appWith = (more: Partial<AgentDefinition>): App =>
  defineApp({
    agents: [defineAgent({ name: 'credit-analyst', prompt: 'You write memos.', tools: [fetchSection, sendMemo], ...more })],
  });

let folder: string;
beforeAll(async () => {
  quietRuntime();
  folder = mkdtempSync(join(tmpdir(), 'holdfast-evals-'));
  for (const name of Object.keys(THEN)) {
    const file = await readCaseFile(createReadStream(join(INCIDENTS, `${name}.jsonl`)));
    await writeCase(join(folder, name), captureCase(file, { forbid: { call: '2.1', fields: ['recipient'] } }));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const run = (name: string, agent: Partial<AgentDefinition>): Promise<RunOutcome> => {
  const one = readCases(folder).find((each) => each.name === name)!;
  return runCase({ one, model: null, repetition: 1 }, { app: appWith(agent), own: null }, new AbortController().signal);
};

it.each(Object.keys(THEN))('%s fails under the rules of then', async (name) => {
  const { faults, run: ran } = await run(name, THEN[name]!);
  expect(ran).toMatchObject({ state: 'completed', model: 'recorded', costUsd: 0, text: 'The memo is sent.' });
  expect(faults).toEqual([
    expect.stringMatching(/^The call send_credit_memo \{.*\} \(2\.1, succeeded, applied\) must not run, and it did\.$/),
  ]);
});

it.each([
  ['memo-1', 'approvals', APPROVALS, 'waiting'],
  ['memo-2', 'rules', RULES, 'completed'],
  ['memo-3', 'rules', RULES, 'completed'],
])('%s passes under the fixed %s', async (name, _, agent, state) => {
  const { faults, run: ran } = await run(name, agent);
  expect(faults).toEqual([]);
  expect(ran.state).toBe(state);
  expect(ran.calls.filter((call) => call.effect === 'applied')).toEqual([]);
});

it('says whose decision was not accepted', async () => {
  const { run: ran } = await run('memo-1', APPROVALS);
  expect(ran.reason).toMatch(/^A decision on send_credit_memo was not accepted: .*victor/);
});
