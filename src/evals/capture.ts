/** Makes a case of a recorded turn: its message, what its tools returned, what people decided, and which calls it made. */
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'yaml';
import { readOf, roleOf } from '../audit/case-file/turn';
import type { CallCase, CaseFile, DecisionCase, TurnCase } from '../audit/case-file';
import { text } from '../record/fields';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { ERROR_CODES, type ErrorCode } from '../shared/wire/error-codes';
import { isFilePart } from '../shared/turn/message';
import {
  CaseError,
  RECORDED_MODEL,
  type CaseDecision,
  type CaseFields,
  type ExpectedCall,
  type RecordedResult,
  type Recording,
} from './case';
import { resultOf } from './read-run';

export interface CaptureOptions {
  /** A call that must not run again, `<step>.<index>`, and the fields of its input that tell it; null: all of them. */
  forbid: { call: string; fields: string[] | null } | null;
}

export interface Capture {
  fields: CaseFields;
  recording: Recording;
  /** Files of the message. */
  files: { name: string; bytes: Buffer }[];
  /** What the case could not take from the record, in words. */
  notes: string[];
}

const RECORDING = 'recording.json';
/** A case has what a turn has seen. */
const PRIVATE = { mode: 0o600 };
/** Longer texts of an input are the model's own words, which another model does not repeat. */
const LONGEST_VALUE = 80;

/** @throws CaseError */
export function captureCase(file: CaseFile, { forbid }: CaptureOptions): Capture {
  const [turn] = file.turns;
  if (turn === undefined) throw new CaseError('The bundle has no turn.');
  if (turn.direct) throw new CaseError('The turn is a direct call: it asked no model, so that there is nothing to evaluate.');
  const { message, files, notes } = questionOf(turn);
  const callsOf = file.turns.map((one) => one.calls.filter(({ takenBack }) => !takenBack));
  const calls = callsOf.flat();
  const decisions = callsOf.flatMap(decisionsIn);
  const fields: CaseFields = {
    about: `Captured from the turn ${turn.turnId}.`,
    agent: turn.agent,
    requester: turn.requester,
    message,
    ...(files.length > 0 ? { files: files.map(({ name }) => `files/${name}`) } : {}),
    model: RECORDED_MODEL,
    recording: RECORDING,
    real: [],
    ...optional({ decisions: decisions.length === 0 ? undefined : decisions }),
    expect: forbid === null ? expectedOf(turn) : { state: 'any', not_run: [forbiddenCall(turn, forbid)] },
  };
  const recording = { tools: resultsIn(calls), turns: turnsIn(file) };
  return { fields, recording, files, notes: [...notes, ...leftOutNotes(file, calls)] };
}

/** Writes the case into a folder of its own. @throws CaseError if it exists */
export async function writeCase(folder: string, { fields, recording, files }: Capture): Promise<void> {
  try {
    await mkdir(folder, { recursive: false, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CaseError(
      code === 'EEXIST' ? `There is already a case ${folder}: give another --name.` : `${folder} cannot be made: ${code}.`,
    );
  }
  if (files.length > 0) await mkdir(join(folder, 'files'), { mode: 0o700 });
  for (const { name, bytes } of files) await writeFile(join(folder, 'files', name), bytes, PRIVATE);
  await writeFile(join(folder, RECORDING), `${JSON.stringify(recording, null, 2)}\n`, PRIVATE);
  const yaml = stringify(fields, { lineWidth: 120, aliasDuplicateObjects: false });
  await writeFile(join(folder, 'case.yaml'), yaml, PRIVATE);
}

function questionOf(turn: TurnCase): { message: string; files: Capture['files']; notes: string[] } {
  const chain = turn.transcript.filter(({ own, onChain }) => own && onChain);
  const question = chain.find((block) => roleOf(block) === 'user');
  const content = question?.read?.kind === 'message' ? question.read.content : null;
  if (content === null || question!.bodies.includes(null))
    throw new CaseError('What the turn was asked is not in the bundle, so that no case can be made of it.');
  const parts = content.filter(isFilePart);
  const bytes = new Map(turn.files.map((one) => [one.file, one.bytes]));
  const files = parts.flatMap(({ file, name }, index) => {
    const data = bytes.get(file) ?? null;
    return data === null ? [] : [{ name: `${index + 1}-${basename(name).replace(/[^\w.-]/g, '_')}`, bytes: data }];
  });
  const message = content.flatMap((block) => (block.type === 'text' ? [text(block.text)] : [])).join('\n');
  const steers = readOf('message', chain).filter(({ steer }) => steer !== null);
  return {
    message: message || (turn.asked ?? ''),
    files,
    notes: [
      ...(turn.transcript.some(({ own }) => !own)
        ? ['The turn continues a conversation: the case has its own message only.']
        : []),
      ...(steers.length > 0 ? [`${steers.length} messages to the running turn are not part of the case.`] : []),
      ...(files.length < parts.length
        ? [`${parts.length - files.length} files of the message were left out of the bundle.`]
        : []),
    ],
  };
}

/** The model's answers of each turn, by the name of its agent. */
function turnsIn({ turns }: CaseFile): Recording['turns'] {
  const byAgent: Recording['turns'] = {};
  for (const turn of turns) {
    const chain = turn.transcript.filter((block) => block.own && block.onChain);
    const answers = chain.flatMap((block) =>
      block.read?.kind === 'message' && roleOf(block) === 'assistant' ? [block.read.content] : [],
    );
    const [question] = chain.filter((block) => roleOf(block) === 'user');
    const words =
      question?.read?.kind === 'message'
        ? question.read.content.flatMap((part) => (typeof part.text === 'string' ? [part.text] : []))
        : [];
    (byAgent[turn.agent] ??= []).push({ asked: words.join('\n') || null, answers });
  }
  return byAgent;
}

/** States of a call whose tool answered. */
const ANSWER_STATES: ReadonlySet<string> = new Set(['succeeded', 'failed', 'in_doubt']);

function resultsIn(calls: readonly CallCase[]): Recording['tools'] {
  const byTool: Record<string, RecordedResult[]> = {};
  for (const call of calls) {
    // The workflow, a person or a sub-agent answers the others.
    if (!ANSWER_STATES.has(call.state ?? '') || call.input === null || call.class === 'agent' || NOT_RUN.has(call.tool)) continue;
    (byTool[call.tool] ??= []).push({ input: call.input, ...answerOf(call) });
  }
  return byTool;
}

/** Tools that no function answers. */
const NOT_RUN: ReadonlySet<string> = new Set([
  'ask_person',
  'wait_until',
  'give_result',
  'read_result',
  'find_tools',
  'open_group',
]);

/** What the tool of a settled call said is not in the record: its result is that of the settlement. */
const IN_DOUBT = {
  code: 'NETWORK_ERROR',
  reason: 'in_doubt',
  message: 'The outcome of the recorded call was in doubt.',
} as const;

function answerOf(call: CallCase): { result: Json } | Omit<Extract<RecordedResult, { error: unknown }>, 'input'> {
  const { error, effect, settlements } = call;
  if (settlements.length > 0) return { error: IN_DOUBT };
  if (call.state === 'succeeded' || error === null) return { result: resultOf(call) };
  const code = text(error.code);
  return {
    error: {
      code: (code in ERROR_CODES ? code : 'EXECUTION_ERROR') as ErrorCode,
      reason: text(error.reason) || 'recorded',
      message: text(error.message),
      ...(effect === 'not_applied' ? { nothing_happened: true } : {}),
    },
  };
}

/** In the order of the calls; several approvals of one call are one decision. */
function decisionsIn(calls: readonly CallCase[]): CaseDecision[] {
  return calls.flatMap((call) => {
    const { tool, id, revision, settlements } = call;
    const next = calls.find((other) => other.id === id && other.revision === revision + 1);
    const approvals = call.decisions.filter(({ decision }) => decision === 'approve').map(({ by }) => by);
    const others = call.decisions.filter(({ decision }) => decision !== 'approve');
    const [settled] = settlements;
    return [
      ...(approvals.length > 0 ? [{ tool, approve: approvals.length === 1 ? approvals[0]! : approvals }] : []),
      ...others.flatMap((one) => otherDecision(call, one, next)),
      ...(settled !== undefined && isOutcome(settled.outcome)
        ? [{ tool, settle: text(settled.by) || 'probe', outcome: settled.outcome }]
        : []),
    ];
  });
}

function isOutcome(value: Json | undefined): value is 'applied' | 'not_applied' {
  return value === 'applied' || value === 'not_applied';
}

function otherDecision({ tool }: CallCase, one: DecisionCase, next: CallCase | undefined): CaseDecision[] {
  const { decision, by, value } = one;
  const note = optional({ note: one.note ?? undefined });
  if (decision === 'deny') return [{ tool, deny: by, ...note }];
  if (decision === 'answer' && value !== undefined) return [{ tool, answer: by, value, ...note }];
  // The edited input is that of the next revision.
  if (decision === 'edit' && next !== undefined && next.input !== null) return [{ tool, edit: by, input: next.input, ...note }];
  return [];
}

function expectedOf(turn: TurnCase): CaseFields['expect'] {
  const calls = turn.calls.filter(({ takenBack, state }) => !takenBack && state !== 'superseded');
  const isSideBySide = new Set(calls.map(({ step }) => step)).size < calls.length;
  const state = ENDS.has(turn.state) ? (turn.state as 'completed') : 'any';
  return {
    ...(state === 'completed' ? {} : { state }),
    calls: calls.map((call): ExpectedCall => ({
      tool: call.tool,
      ...optional({ input: shortInput(call), state: call.state ?? undefined }),
    })),
    ...(isSideBySide || calls.length < 2 ? {} : { in_order: true }),
    ...(turn.result === null ? {} : { result: turn.result }),
  };
}

const ENDS: ReadonlySet<string> = new Set(['completed', 'refused', 'cancelled', 'failed', 'limit']);

/** Without the model's prose. */
function shortInput({ input }: CallCase): JsonObject | undefined {
  if (input === null) return undefined;
  const short = Object.entries(input).filter(([, value]) => JSON.stringify(value).length <= LONGEST_VALUE);
  return short.length === 0 ? undefined : Object.fromEntries(short);
}

/** @throws CaseError */
function forbiddenCall({ calls }: TurnCase, { call: id, fields }: NonNullable<CaptureOptions['forbid']>): ExpectedCall {
  const last = calls.findLast((call) => call.id === id && !call.takenBack);
  if (last === undefined || last.input === null)
    throw new CaseError(
      `The turn has no call ${id} with an input; its calls: ${[...new Set(calls.map((call) => `${call.id} ${call.tool}`))].join(', ') || 'none'}.`,
    );
  const { tool, input } = last;
  if (fields === null) return { tool, input };
  const missing = fields.filter((field) => !Object.hasOwn(input, field));
  if (missing.length > 0)
    throw new CaseError(`The input of call ${id} has no ${missing.join(', ')}; it has ${Object.keys(input).join(', ')}.`);
  return { tool, input: Object.fromEntries(fields.map((field) => [field, input[field]!])) };
}

function leftOutNotes(file: CaseFile, calls: readonly CallCase[]): string[] {
  const lost = calls.filter((call) => call.state === 'succeeded' && !isJsonObject(call.result) && call.class !== 'agent');
  const deputies = calls.flatMap(({ decisions }) => decisions).filter(({ onBehalfOf }) => onBehalfOf !== undefined);
  return [
    ...(file.fault === null ? [] : [`The bundle cannot be read beyond line ${file.fault.n}: ${file.fault.reason}`]),
    ...lost.map(({ id, tool }) => `The result of ${tool} (${id}) is not in the bundle: the case has null in its place.`),
    ...(deputies.length > 0 ? ['A deputy decides in the case with their own name: it has no deputies.'] : []),
  ];
}
