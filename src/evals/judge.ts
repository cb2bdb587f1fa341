/** Compares what a run did with what its case expects. Each fault is a sentence. */
import { isJsonObject, type Json } from '../shared/json/json';
import type { EvalCase, ExpectedCall, Expectations } from './case';
import type { EvalCall, EvalGrade, EvalRun } from './types';

/** States of a call whose tool began. */
const RUN_STATES: ReadonlySet<string> = new Set(['running', 'succeeded', 'failed', 'in_doubt']);
const LONGEST = 300;

export function expectationFaults(run: EvalRun, expect: Expectations): string[] {
  return [...stateFaults(run, expect), ...callFaults(run.calls, expect), ...answerFaults(run, expect)];
}

function stateFaults({ state, reason }: EvalRun, expect: Expectations): string[] {
  if (expect.state === 'any' || expect.state === state) return [];
  return [`The turn is ${state}${reason === null ? '' : ` (${reason})`}, not ${expect.state}.`];
}

function callFaults(all: readonly EvalCall[], expect: Expectations): string[] {
  const calls = all.filter(({ state }) => state !== 'superseded');
  const found = expect.in_order ? matchInOrder(calls, expect.calls) : matchInAnyOrder(calls, expect.calls);
  const missing = expect.calls.filter((_, index) => found[index] === null);
  const others = expect.no_other_calls ? calls.filter((call) => !found.includes(call)) : [];
  const anywhere = missing.filter((expectation) => expect.in_order && calls.some((call) => matches(call, expectation)));
  return [
    ...missing.map((expectation) => {
      const order = anywhere.includes(expectation) ? ' at this place in the order' : '';
      return `The call ${expectedText(expectation)} was not made${order}. ${madeText(calls, expectation.tool)}`;
    }),
    ...others.map((call) => `The call ${callText(call)} was not expected.`),
    // A revision that was superseded was asked for, too.
    ...faultsOf(all, expect.not_called, 'must not be made'),
    ...faultsOf(
      all.filter(({ state }) => RUN_STATES.has(state)),
      expect.not_run,
      'must not run, and it did',
    ),
  ];
}

function faultsOf(calls: readonly EvalCall[], forbidden: readonly ExpectedCall[], why: string): string[] {
  const matching = calls.filter((call) => forbidden.some((one) => matches(call, one)));
  return matching.map((call) => `The call ${callText(call)} ${why}.`);
}

function matches(call: EvalCall, { tool, input, state, effect, agent }: ExpectedCall): boolean {
  return (
    call.tool === tool &&
    (state === undefined || call.state === state) &&
    (effect === undefined || call.effect === effect) &&
    (agent === undefined || call.agent === agent) &&
    (input === undefined || includes(call.input, input))
  );
}

/** Whether a value has all that a part has: objects may have further fields, all else is the same. */
export function includes(whole: Json, part: Json): boolean {
  if (Array.isArray(part))
    return (
      Array.isArray(whole) && whole.length === part.length && part.every((one, index) => includes(whole[index] ?? null, one))
    );
  if (!isJsonObject(part)) return whole === part;
  if (!isJsonObject(whole)) return false;
  return Object.entries(part).every(([key, value]) => Object.hasOwn(whole, key) && includes(whole[key]!, value));
}

type Matching = (EvalCall | null)[];

/** The first call that fits is the best one: whatever follows may come after it. */
function matchInOrder(calls: readonly EvalCall[], expectations: readonly ExpectedCall[]): Matching {
  let next = 0;
  return expectations.map((one) => {
    const index = calls.findIndex((call, at) => at >= next && matches(call, one));
    if (index < 0) return null;
    next = index + 1;
    return calls[index]!;
  });
}

/** Each expected call has a call of its own: a largest matching, by paths that give a call to another expectation. */
function matchInAnyOrder(calls: readonly EvalCall[], expectations: readonly ExpectedCall[]): Matching {
  const owner = new Map<EvalCall, number>();
  const take = (index: number, visits: Set<EvalCall>): boolean =>
    calls.some((call) => {
      if (visits.has(call) || !matches(call, expectations[index]!)) return false;
      visits.add(call);
      const before = owner.get(call);
      if (before !== undefined && !take(before, visits)) return false;
      owner.set(call, index);
      return true;
    });
  for (const index of expectations.keys()) take(index, new Set());
  const found = new Map([...owner].map(([call, index]) => [index, call]));
  return expectations.map((_, index) => found.get(index) ?? null);
}

function answerFaults({ text, result }: EvalRun, expect: Expectations): string[] {
  const missing = [expect.text?.includes ?? []].flat().filter((words) => !text.includes(words));
  const pattern = expect.text?.matches;
  return [
    ...missing.map((words) => `The answer does not have ${JSON.stringify(words)}: ${short(text)}`),
    ...(pattern === undefined || new RegExp(pattern, 'u').test(text)
      ? []
      : [`The answer does not match ${pattern}: ${short(text)}`]),
    ...(expect.result === undefined || includes(result, expect.result)
      ? []
      : [`The result is ${short(JSON.stringify(result))}; expected: ${short(JSON.stringify(expect.result))}.`]),
  ];
}

/** @returns the fault; null: the rubric is content. @throws Error for an answer that is no grade */
export function gradeFault(grade: EvalGrade, rubric: NonNullable<EvalCase['rubric']>): string | null {
  const [file, least] = typeof rubric === 'string' ? [rubric, 1] : [rubric.file, rubric.at_least];
  const { pass, score, reason } = typeof grade === 'object' && grade !== null ? grade : gradeOf(grade);
  const isScore = typeof score === 'number' && score >= 0 && score <= 1;
  if (typeof pass !== 'boolean' && (pass !== undefined || !isScore))
    throw new Error(`The rubric ${file} must return true, false, a score from 0 to 1, or {pass, score, reason}.`);
  if (pass ?? score! >= least) return null;
  const why = pass === undefined ? `score ${score}, less than ${least}` : 'it did not pass';
  return `Rubric ${file}: ${why}${reason === undefined ? '.' : `. ${reason}`}`;
}

function gradeOf(grade: boolean | number): { pass?: boolean; score?: number; reason?: string } {
  return typeof grade === 'boolean' ? { pass: grade } : { score: grade };
}

function madeText(calls: readonly EvalCall[], tool: string): string {
  const ofTool = calls.filter((call) => call.tool === tool);
  if (ofTool.length === 0) return `Calls were: ${calls.map((call) => call.tool).join(', ') || 'none'}.`;
  return `Calls of it: ${ofTool.slice(0, 3).map(errorText).join('; ')}.`;
}

function errorText(call: EvalCall): string {
  return `${callText(call)}${call.error === null ? '' : ` with the error: ${short(call.error.message)}`}`;
}

function callText({ id, tool, input, state, effect }: EvalCall): string {
  return `${tool} ${short(JSON.stringify(input))} (${id}, ${state}${effect === null ? '' : `, ${effect}`})`;
}

function expectedText({ tool, input, state, effect, agent }: ExpectedCall): string {
  const facts = [state, effect, agent === undefined ? undefined : `of ${agent}`].filter((fact) => fact !== undefined);
  return `${tool}${input === undefined ? '' : ` ${short(JSON.stringify(input))}`}${facts.length > 0 ? ` (${facts.join(', ')})` : ''}`;
}

function short(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
