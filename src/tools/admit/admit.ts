/**
 * Static admission of a call: find the tool → schema → the tool's own check → before-hooks → permission. Every call that a model
 * asks for passes these checks first. A call that fails is answered to the model, and reaches neither a person nor a tool.
 * Where a hook does I/O or a classifier has to decide, the `admitCall` activity runs that hook and checks permission again.
 */
import type { AdmittedCall } from '../../shared/io/activities';
import type { ApprovalPolicy } from '../../shared/approval/policy';
import { optional } from '../../shared/json/optional';
import type { Resources, Safety } from '../../shared/turn/calls';
import { callError, type CallError, exceptionText } from '../../shared/wire/errors';
import { isJsonObject, type Json, type JsonObject, cutJson } from '../../shared/json/json';
import { JsonSyntaxError, parseJson } from '../../shared/json/parse-json';
import { GIVE_RESULT } from '../../shared/turn/result';
import { CLASS_RULES } from '../../shared/turn/tool-class';
import { toolNotShownError } from '../catalogue/find-tools';
import { hashJson, inputDigest } from '../../shared/json/digests';
import { hooksFor, runBefore, type InputChange, type Revalidate } from './hooks';
import { decideOn, factsOf, recordedFacts, type TurnFacts, type Verdict, targetOf } from './policy';
import { inputError, readInput, readInputOrThrow } from '../schema/input-output';
import { sunsetFault } from '../define/versions';
import type { PreparedAgent, PreparedTool } from '../catalogue/registry';
import type { Violation } from '../schema/schema';
import type { ToolLogger } from '../define/tool';

/** Most bytes of JSON that are kept of an unknown tool's name. The model invented it; history and transcript store it. */
const NAME_BYTES = 250;

export interface CallRequest {
  name: string;
  /** The input as the model wrote it. */
  json: string;
  /** The model's answer hit its token limit: JSON that does not parse was cut off, and is not malformed. */
  cut: boolean;
  /** Names of the tools that the request showed; absent: all. */
  shown?: ReadonlySet<string>;
  /** A direct call, without a model: internal tools may be called too. */
  direct?: boolean;
  /** The answer asks for other calls, too. */
  beside?: boolean;
}

type AdmissionField = 'tool' | 'version' | 'class' | 'verdict' | 'reason' | 'error' | 'input_hash' | 'input_digest' | 'parallel';

export interface StaticAdmission extends Pick<AdmittedCall, AdmissionField> {
  /** The effective input: defaults applied, changed by hooks. For a rejected call, the input as far as it was read. */
  input: JsonObject;
  /** The changes that hooks made to the input, in order. */
  changes: InputChange[];
  /** A hook with I/O or the classifier has not run yet: `admitCall` decides later, and `verdict` is `ask` until then. */
  undecided: boolean;
  /** The facts that the rules compared, for the record; null: the rules were not evaluated. */
  facts: JsonObject | null;
  /** The target that the tool declares; null: it declares none, or the call was rejected. */
  target: JsonObject | null;
  /** What an approval requires, by the tool's list of approval rules. Absent: the tool has no list, or the call was rejected. */
  approval?: ApprovalPolicy;
}

export interface AdmitOptions {
  turn: TurnFacts;
  log: ToolLogger;
  /** How many levels of sub-agents this turn may still start. Default: no limit. */
  depthLeft?: number;
}

export async function admit(
  agent: PreparedAgent,
  request: CallRequest,
  options: AdmitOptions = optionsOutsideTurn(agent),
): Promise<StaticAdmission> {
  const internal = request.direct ? agent.internal.get(request.name) : undefined;
  const preparedTool = internal ?? agent.tools.get(request.name);
  const absent =
    (preparedTool && sunsetFault(preparedTool.tool)) ??
    (internal ? null : toolNotShownError(agent.tools, request.name, request.shown));
  if (!preparedTool || absent) return rejectCall(request, preparedTool ?? null, {}, absent!);
  if (preparedTool.tool.question && request.direct)
    return rejectCall(request, preparedTool, {}, noModelAsks(preparedTool.tool.name));
  if (preparedTool.tool.wait && request.direct) return rejectCall(request, preparedTool, {}, noTurnWaits(preparedTool.tool.name));
  if (preparedTool.tool.name === GIVE_RESULT && (request.direct || request.beside))
    return rejectCall(request, preparedTool, {}, request.direct ? endsNoTurn() : notAlone());
  if (preparedTool.tool.subAgent && options.depthLeft === 0)
    return rejectCall(request, preparedTool, {}, tooDeep(preparedTool.tool.name));
  const parsed = parseInput(request);
  if (!parsed.ok) return rejectCall(request, preparedTool, {}, parsed.error);

  const checked = checkInput(preparedTool, parsed.input);
  if (!checked.ok) return rejectCall(request, preparedTool, checked.input, checked.error);

  const { tool } = preparedTool;
  const { name, version, class: toolClass } = tool;
  const { turn, log } = options;
  const hooks = hooksFor(agent.hooks.before, name);
  const call = { tool: name, version, class: toolClass, input: checked.input, turn };
  const hookResult = await runBefore(
    hooks.filter((hook) => !hook.io),
    call,
    inputCheck(preparedTool, turn.requester),
    log,
  );
  if (!hookResult.ok) return rejectCall(request, preparedTool, checked.input, hookResult.error);

  const { input, changes } = hookResult;
  const targetResult = targetOf(tool, input);
  if (!targetResult.ok) return rejectCall(request, preparedTool, input, targetResult.error);
  const callFacts = factsOf({ tool, input, turn });
  const verdict = await decideOn(agent.policy, callFacts);
  const facts = recordedFacts(callFacts);
  const waitsForHooks = hooks.some((hook) => hook.io);
  if (verdict.verdict === 'deny' && !waitsForHooks)
    return { ...rejectCall(request, preparedTool, input, deniedError(name, verdict)), facts };
  const isAllowed = verdict.verdict === 'allow' && !waitsForHooks && !tool.question;
  const isUndecided = waitsForHooks || (verdict.verdict === 'classify' && agent.agent.classifier !== undefined);
  return {
    tool: name,
    version,
    class: toolClass,
    verdict: isAllowed ? 'allow' : 'ask',
    reason: tool.question && verdict.verdict === 'allow' ? ASKS_A_PERSON : verdict.reason,
    error: null,
    input,
    input_hash: hashJson(input),
    input_digest: inputDigest({ tool: name, version, input: checked.input }),
    // A hook may still change what the call touches, or require approval. Until then the call runs beside no other.
    parallel: (isAllowed || tool.question !== undefined) && parallelSafety(preparedTool, input),
    changes,
    undecided: isUndecided,
    facts,
    target: targetResult.target,
    ...optional({ approval: verdict.approval }),
  };
}

/** Options for a call outside of any turn: no untrusted content has been read, and nothing is logged. */
function optionsOutsideTurn({ agent }: PreparedAgent): AdmitOptions {
  const none = () => undefined;
  return {
    turn: { untrusted: false, requester: '', agent: agent.name, step: 0 },
    log: { debug: none, info: none, warn: none, error: none },
  };
}

/** Checks inputs whose schema check would take long in threads, before `admit`; `admit` then uses the stored results. */
export async function checkAhead(
  agent: PreparedAgent,
  calls: readonly Pick<CallRequest, 'name' | 'json' | 'cut'>[],
  owner: string,
) {
  await Promise.all(
    calls.map(async (request) => {
      const preparedTool = agent.internal.get(request.name) ?? agent.tools.get(request.name);
      const parsed = parseInput(request);
      if (preparedTool && parsed.ok) await preparedTool.validate.ahead(parsed.input, owner);
    }),
  );
}

/** Checks an input against the schema, then with the tool's own check. Returns the effective input, or the error. */
export function checkInput(
  preparedTool: PreparedTool,
  input: JsonObject,
): { ok: true; input: JsonObject } | { ok: false; input: JsonObject; error: CallError } {
  const checked = preparedTool.validate(input);
  if (!checked.valid) return { ok: false, input, error: violationsError(preparedTool, checked.violations) };
  const own = ownCheck(preparedTool, checked.data);
  return own ? { ok: false, input: checked.data, error: own } : { ok: true, input: checked.data };
}

/** Checks an input that a hook has changed: in a thread, where that could take long. */
export function inputCheck(preparedTool: PreparedTool, owner: string): Revalidate {
  return async (input) => {
    await preparedTool.validate.ahead(input, owner);
    return checkInput(preparedTool, input);
  };
}

/** The error for the model where its turn may start no further sub-agent. */
export function tooDeep(tool: string): CallError {
  const message = `${tool} was not asked: sub-agents are already nested as deep as the first agent's maxDepth allows.`;
  return callError('QUOTA_EXCEEDED', 'too_deep', message, { hint: 'Do it without another agent.' });
}

/** Why a call of `ask_person` that the rules allow waits for a person. */
const ASKS_A_PERSON = 'it asks a person';

/** The error of a direct call of a tool that a person answers. */
function noModelAsks(tool: string): CallError {
  const message = `${tool} is for models: no model would read the answer of a person to a direct call.`;
  return callError('INVALID_PARAMS', 'no_model', message, {
    hint: 'Ask the person yourself, or start a turn of an agent that has this tool.',
  });
}

/** The error of a direct call of a tool that lets a turn wait. */
function noTurnWaits(tool: string): CallError {
  const message = `${tool} lets a turn wait: a direct call has nothing to go on with afterwards.`;
  return callError('INVALID_PARAMS', 'no_model', message, {
    hint: 'Make the next call later, or start a turn of an agent that has this tool.',
  });
}

function endsNoTurn(): CallError {
  const message = `${GIVE_RESULT} gives the result of a turn: a direct call has none.`;
  return callError('INVALID_PARAMS', 'no_model', message, { hint: 'Start a turn of the agent.' });
}

/** The result of a turn may not be given before its last calls are known to have worked. */
function notAlone(): CallError {
  return callError('INVALID_PARAMS', 'not_alone', `${GIVE_RESULT} was called beside other calls, and was not taken.`, {
    hint: 'Read what the other calls returned. Then call it again, alone.',
  });
}

/** The error for the model where rules or mode refuse a call. */
export function deniedError(tool: string, { word, reason }: Verdict): CallError {
  return callError('PERMISSION_DENIED', word ?? 'denied_by_rule', `${tool} may not be used: ${reason}.`);
}

/** Rejects a call beyond the limit of calls per model answer. */
export function refuseExcess(agent: PreparedAgent, request: CallRequest, limit: number): StaticAdmission {
  const error = callError('INVALID_PARAMS', 'too_many_calls', `One answer may ask for ${limit} calls; this one was not run.`, {
    hint: 'Ask for it again in the next answer.',
  });
  return rejectCall(request, agent.tools.get(request.name) ?? null, {}, error);
}

function parseInput(request: CallRequest): { ok: true; input: JsonObject } | { ok: false; error: CallError } {
  const fault = (reason: string, message: string, hint: string) => ({
    ok: false as const,
    error: callError('INVALID_PARAMS', reason, message, { hint }),
  });
  if (request.cut && request.json.trim() === '')
    return fault(
      'cut_off',
      'The answer was cut off before the input was written; the call was not run.',
      'Ask again with a shorter answer.',
    );
  try {
    const input = request.json.trim() === '' ? {} : parseJson(request.json);
    if (!isJsonObject(input))
      return fault('not_an_object', 'The input must be a JSON object.', 'Send an object with the fields of the schema.');
    return { ok: true, input };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return request.cut
      ? fault(
          'cut_off',
          'The answer was cut off in the middle of this input; the call was not run.',
          'Ask again with a shorter input.',
        )
      : fault('malformed_json', `The input is not valid JSON: ${error.message}`, 'Send the same call with valid JSON.');
  }
}

/** Runs the refinements of a zod schema, then the tool's `check`. */
function ownCheck({ tool }: PreparedTool, input: JsonObject): CallError | null {
  const read = readInput(tool, input);
  if (!read.ok) return read.error;
  try {
    const fault = tool.check?.(read.value);
    return fault
      ? callError('INVALID_PARAMS', fault.reason, fault.message, fault.hint === undefined ? {} : { hint: fault.hint })
      : null;
  } catch (error) {
    return callError('EXECUTION_ERROR', 'check_crashed', `The check of ${tool.name} failed: ${exceptionText(error)}`);
  }
}

/** Limits for the keys of `concurrencySafe`. A call with more or longer keys runs alone, so that history stays small. */
const MOST_RESOURCES = 32;
const LONGEST_RESOURCE = 300;

function parallelSafety({ tool }: PreparedTool, input: JsonObject): Safety {
  const rule = CLASS_RULES[tool.class].parallel;
  if (rule === 'never') return false;
  if (!tool.concurrencySafe) return rule === 'yes';
  try {
    const answer: unknown = tool.concurrencySafe(readInputOrThrow(tool, input));
    return answer === true || (isResources(answer) && { reads: [...answer.reads], writes: [...answer.writes] });
  } catch {
    return false; // a predicate that throws for this input does not declare it safe
  }
}

function isResources(value: unknown): value is Resources {
  const { reads, writes } = (value ?? {}) as Partial<Resources>;
  return (
    Array.isArray(reads) &&
    Array.isArray(writes) &&
    reads.length + writes.length <= MOST_RESOURCES &&
    [...reads, ...writes].every((name) => typeof name === 'string' && name.length <= LONGEST_RESOURCE)
  );
}

const DECISION_WORDS = /confirm|approv|consent/i;

function violationsError({ tool, schema }: PreparedTool, violations: Violation[]): CallError {
  const madeUpDecision = violations.some(
    (violation) => /additional propert/.test(violation.message) && DECISION_WORDS.test(violation.message),
  );
  const hint = madeUpDecision
    ? 'Approval is a decision that a person gives outside of this conversation; no field of the input stands for it. Leave that field out.'
    : `Fields: ${Object.keys((schema.properties ?? {}) as object).join(', ') || 'none'}; required: ${((schema.required as string[] | undefined) ?? []).join(', ') || 'none'}.`;
  return inputError(tool.name, 'schema_violation', violations, { hint });
}

function rejectCall(
  request: CallRequest,
  preparedTool: PreparedTool | null,
  input: JsonObject,
  error: CallError,
): StaticAdmission {
  return {
    tool: preparedTool?.tool.name ?? cutJson(request.name.slice(0, 100).toWellFormed(), NAME_BYTES),
    version: preparedTool?.tool.version ?? '',
    class: preparedTool?.tool.class ?? 'read',
    verdict: 'rejected',
    reason: error.reason,
    error,
    input,
    input_hash: hashJson(input),
    input_digest: rejectedDigest(request),
    parallel: true,
    changes: [],
    undecided: false,
    facts: null,
    target: null,
  };
}

/** The digest that detects the same rejected input twice; the input may be invalid JSON. */
function rejectedDigest(request: CallRequest): string {
  const text: Json = { tool: request.name.toWellFormed(), version: '', input: request.json.toWellFormed() };
  return inputDigest(text as never);
}
