/**
 * Static admission: find → schema → the tool's own check → permission. Everything that a model asked
 * for passes here before anything acts; what fails is answered to the model, and reaches neither a
 * person nor a tool.
 */
import type { AdmittedCall } from '../shared/activity-io';
import { hashJson, inputDigest } from '../shared/digests';
import { callError, type CallError } from '../shared/errors';
import { isJsonObject, type Json, type JsonObject } from '../shared/json';
import { JsonSyntaxError, parseJson } from '../shared/parse-json';
import { CLASS_RULES } from '../shared/tool-class';
import { permission } from './permission';
import type { PreparedAgent, PreparedTool } from './registry';
import { isZod, type Violation } from './schema';

/** Faults that are listed one by one; the message says how many there are. */
const LISTED = 20;

export interface Asked {
  name: string;
  /** The input as the model wrote it. */
  json: string;
  /** The answer was cut at its token limit: JSON that does not parse was cut off, not malformed. */
  cut: boolean;
}

type Admitted = 'tool' | 'version' | 'class' | 'verdict' | 'reason' | 'error' | 'input_hash' | 'input_digest' | 'parallel';

export interface StaticAdmission extends Pick<AdmittedCall, Admitted> {
  /** The effective input, defaults applied; as asked when the call was rejected. */
  input: JsonObject;
}

export function admit(agent: PreparedAgent, asked: Asked): StaticAdmission {
  const prepared = agent.tools.get(asked.name);
  if (!prepared) return rejected(asked, null, {}, unknownTool(agent, asked.name));
  const parsed = parseInput(asked);
  if (!parsed.ok) return rejected(asked, prepared, {}, parsed.error);

  const checked = prepared.validate(parsed.input);
  if (!checked.valid) return rejected(asked, prepared, parsed.input, violationsError(prepared, checked.violations));
  const own = ownCheck(prepared, checked.data);
  if (own) return rejected(asked, prepared, checked.data, own);

  const { tool } = prepared;
  const verdict = permission(agent.agent.permissions, tool);
  if (verdict.verdict === 'deny') {
    return rejected(
      asked,
      prepared,
      checked.data,
      callError('PERMISSION_DENIED', 'denied_by_rule', `${tool.name} may not be used: ${verdict.reason}.`),
    );
  }
  return {
    tool: tool.name,
    version: tool.version,
    class: tool.class,
    verdict: verdict.verdict,
    reason: verdict.reason,
    error: null,
    input: checked.data,
    input_hash: hashJson(checked.data),
    input_digest: inputDigest({ tool: tool.name, version: tool.version, input: checked.data }),
    parallel: verdict.verdict === 'allow' && runsBeside(prepared, checked.data),
  };
}

/** For a call that is one too many in its answer. */
export function refuseExcess(agent: PreparedAgent, asked: Asked, allowed: number): StaticAdmission {
  const error = callError('INVALID_PARAMS', 'too_many_calls', `One answer may ask for ${allowed} calls; this one was not run.`, {
    hint: 'Ask for it again in the next answer.',
  });
  return rejected(asked, agent.tools.get(asked.name) ?? null, {}, error);
}

function parseInput(asked: Asked): { ok: true; input: JsonObject } | { ok: false; error: CallError } {
  const fault = (reason: string, message: string, hint: string) => ({
    ok: false as const,
    error: callError('INVALID_PARAMS', reason, message, { hint }),
  });
  if (asked.cut && asked.json.trim() === '')
    return fault(
      'cut_off',
      'The answer was cut off before the input was written; the call was not run.',
      'Ask again with a shorter answer.',
    );
  try {
    const input = asked.json.trim() === '' ? {} : parseJson(asked.json);
    if (!isJsonObject(input))
      return fault('not_an_object', 'The input must be a JSON object.', 'Send an object with the fields of the schema.');
    return { ok: true, input };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return asked.cut
      ? fault(
          'cut_off',
          'The answer was cut off in the middle of this input; the call was not run.',
          'Ask again with a shorter input.',
        )
      : fault('malformed_json', `The input is not valid JSON: ${error.message}`, 'Send the same call with valid JSON.');
  }
}

function ownCheck({ tool }: PreparedTool, input: JsonObject): CallError | null {
  if (isZod(tool.input)) {
    const result = tool.input.safeParse(input);
    if (!result.success) {
      const details = result.error.issues
        .slice(0, LISTED)
        .map((issue) => ({ path: `/${issue.path.join('/')}`, message: issue.message.slice(0, 300).toWellFormed() }));
      return callError('INVALID_PARAMS', 'check_failed', list(tool.name, details), { details });
    }
  }
  try {
    const fault = tool.check?.(input);
    return fault
      ? callError('INVALID_PARAMS', fault.reason, fault.message, fault.hint === undefined ? {} : { hint: fault.hint })
      : null;
  } catch (error) {
    return callError(
      'EXECUTION_ERROR',
      'check_crashed',
      `The check of ${tool.name} failed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function runsBeside({ tool }: PreparedTool, input: JsonObject): boolean {
  const rule = CLASS_RULES[tool.class].parallel;
  if (rule === 'never') return false;
  if (!tool.concurrencySafe) return rule === 'yes';
  try {
    return tool.concurrencySafe(input) === true;
  } catch {
    return false; // a predicate that crashes on this input has not said that it is safe
  }
}

const DECISION_WORDS = /confirm|approv|consent/i;

function violationsError({ tool, schema }: PreparedTool, violations: Violation[]): CallError {
  const madeUpDecision = violations.some(
    (violation) => /additional propert/.test(violation.message) && DECISION_WORDS.test(violation.message),
  );
  const hint = madeUpDecision
    ? 'Approval is a decision that a person gives outside of this conversation; no field of the input stands for it. Leave that field out.'
    : `Fields: ${Object.keys((schema.properties ?? {}) as object).join(', ') || 'none'}; required: ${((schema.required as string[] | undefined) ?? []).join(', ') || 'none'}.`;
  return callError('INVALID_PARAMS', 'schema_violation', list(tool.name, violations), {
    hint,
    details: violations.slice(0, LISTED),
  });
}

function list(tool: string, faults: Violation[]): string {
  const lines = faults.slice(0, LISTED).map((fault) => `${fault.path === '' ? 'input' : fault.path} ${fault.message}`);
  return `The input of ${tool} has ${faults.length} fault${faults.length === 1 ? '' : 's'}: ${lines.join('; ')}`;
}

function unknownTool(agent: PreparedAgent, name: string): CallError {
  const names = [...agent.tools.keys()];
  return callError('TOOL_NOT_FOUND', 'unknown_tool', `There is no tool ${JSON.stringify(name.slice(0, 100))}.`, {
    hint: `Tools: ${names.join(', ')}.`,
  });
}

function rejected(asked: Asked, prepared: PreparedTool | null, input: JsonObject, error: CallError): StaticAdmission {
  return {
    tool: prepared?.tool.name ?? asked.name.slice(0, 100).toWellFormed(),
    version: prepared?.tool.version ?? '',
    class: prepared?.tool.class ?? 'read',
    verdict: 'rejected',
    reason: error.reason,
    error,
    input,
    input_hash: hashJson(input),
    input_digest: rejectedDigest(asked),
    parallel: true,
  };
}

/** "The same input twice" for an input that may be no JSON at all. */
function rejectedDigest(asked: Asked): string {
  const text: Json = { tool: asked.name.toWellFormed(), version: '', input: asked.json.toWellFormed() };
  return inputDigest(text as never);
}
