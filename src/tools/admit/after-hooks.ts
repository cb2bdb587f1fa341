/** Runs after-hooks on one result. They add notes and metadata; the data that the tool returned never changes. */
import { type Envelope, type EnvelopeMetadata, type HookNote, exceptionText } from '../../shared/wire/errors';
import { type JsonObject, isJsonObject, type Json } from '../../shared/json/json';
import { toJson } from '../results/to-json';
import { HOOK_TIMEOUT, hooksFor, within, type AfterHook, type HookContext, type HookResult, type AfterAnswer } from './hooks';
import { optional } from '../../shared/json/optional';

const FIELD = /^[a-z][a-z0-9_]{0,40}$/;
const LONGEST_NOTE = 1000;
/** Limit for the metadata that one hook adds, characters of JSON. */
const LARGEST_METADATA = 8000;

/** Returns the envelope with the hooks' notes and metadata. A hook that fails is noted too, and the result stays valid. */
export async function annotate(
  hooks: readonly AfterHook[],
  call: Omit<HookResult, 'ok' | 'data' | 'error'>,
  envelope: Envelope,
  log: HookContext['log'],
): Promise<Envelope> {
  const fitting = hooksFor(hooks, call.tool);
  if (fitting.length === 0) return envelope;
  let metadata: EnvelopeMetadata = envelope.metadata;
  const notes: HookNote[] = [];
  for (const hook of fitting) {
    try {
      const answer = await within(hook.timeoutMs ?? HOOK_TIMEOUT, (signal) =>
        hook.run(resultFor(call, envelope), { signal, log }),
      );
      const { note, fields } = checkAnswer(answer ?? {}, metadata);
      metadata = { ...metadata, ...fields };
      notes.push({ hook: hook.name, ...optional({ note }) });
    } catch (error) {
      log.warn({ hook: hook.name, tool: call.tool, err: error }, 'an after-hook failed; the result stands');
      notes.push({ hook: hook.name, error: exceptionText(error).slice(0, 300) });
    }
  }
  return { ...envelope, metadata: { ...metadata, hooks: notes } };
}

function resultFor(call: Omit<HookResult, 'ok' | 'data' | 'error'>, envelope: Envelope): HookResult {
  const { success } = envelope;
  return structuredClone({ ...call, ok: success, data: success ? envelope.data : null, error: success ? null : envelope.error });
}

/** @throws Error for an answer that cannot be stored */
function checkAnswer(
  answer: { note?: unknown; metadata?: unknown },
  metadata: EnvelopeMetadata,
): { note?: string; fields: JsonObject } {
  const note = answer.note === undefined ? {} : { note: String(answer.note).slice(0, LONGEST_NOTE).toWellFormed() };
  const json = toJson(answer.metadata ?? {});
  if (!json.ok) throw new Error(`its metadata are not JSON: ${json.message}`);
  const fields = json.data as JsonObject;
  if (JSON.stringify(fields).length > LARGEST_METADATA)
    throw new Error(`its metadata are larger than ${LARGEST_METADATA} characters`);
  const wrong = Object.keys(fields).find((name) => !FIELD.test(name) || name === 'hooks' || Object.hasOwn(metadata, name));
  if (wrong !== undefined) throw new Error(`metadata.${wrong} is taken, or no name such as ${FIELD.source}`);
  return { ...note, fields };
}

// Metacognition: a check of a result before the model uses it. The finding is stored in `metadata.metacognition`, and the
// model reads the correction beside the result.

/** A check's answer about a result; `correction` tells the model what to do instead. */
export interface Finding {
  needs_correction: boolean;
  correction?: string;
}

export type Check = (result: HookResult, ctx: HookContext) => Finding | Promise<Finding>;

/** An after-hook that records the finding of `check`. Failed results are not checked: their error says what to do. */
export function metacognition(check: Check, options: Pick<AfterHook, 'tools' | 'timeoutMs'> = {}): AfterHook {
  return {
    name: 'metacognition',
    ...options,
    async run(result, ctx): Promise<AfterAnswer> {
      if (!result.ok) return undefined;
      const { needs_correction, correction } = await check(result, ctx);
      if (!needs_correction) return { metadata: { metacognition: { checked: true, needs_correction: false } } };
      const text = (correction ?? 'This result may not answer what was asked; check it before you use it.')
        .slice(0, 800)
        .toWellFormed();
      return { note: text, metadata: { metacognition: { checked: true, needs_correction: true, correction: text } } };
    },
  };
}

export interface CheckRules {
  /** Report empty results: null, an empty list, text or object, or an object with lists that are all empty. */
  empty?: boolean;
  /** Maximum age, in days, of a date in the field `asOfField` (default `as_of`). */
  maxAgeDays?: number;
  asOfField?: string;
  /** Field name → bounds for every number in a field of that name. */
  bounds?: Record<string, { min?: number; max?: number }>;
  /** Fields of the input whose values the result must contain, upper or lower case. */
  mentions?: string[];
}

/** A check by fixed rules: empty results, old dates, numbers out of bounds, results that do not mention the input. */
export function checkByRules(rules: CheckRules, now: () => number = Date.now): Check {
  return ({ data, input }) => {
    const faults = [
      ...(rules.empty && isEmpty(data) ? ['The result is empty: widen the search, or say that nothing was found.'] : []),
      ...walk(data, (name, value) => [...stale(rules, name, value, now()), ...outOfBounds(rules, name, value)]),
      ...missingMentions(rules, input, data),
    ];
    return faults.length === 0
      ? { needs_correction: false }
      : { needs_correction: true, correction: faults.slice(0, 5).join(' ') };
  };
}

function isEmpty(data: Json): boolean {
  if (data === null || data === '') return true;
  if (Array.isArray(data)) return data.length === 0;
  if (!isJsonObject(data)) return false;
  const values = Object.values(data);
  const lists = values.filter(Array.isArray);
  return values.length === 0 || (lists.length > 0 && lists.every((list) => list.length === 0));
}

const DAY = 86_400_000;
const DATE = /^\d{4}-\d\d-\d\d(T[\d:.]{5,15}(Z|[+-]\d\d:?\d\d)?)?$/;

function stale({ maxAgeDays, asOfField = 'as_of' }: CheckRules, name: string, value: Json, now: number): string[] {
  if (maxAgeDays === undefined || name !== asOfField || typeof value !== 'string' || !DATE.test(value)) return [];
  const days = Math.floor((now - Date.parse(value)) / DAY);
  return days > maxAgeDays ? [`${name} ${value} is ${days} days old (at most ${maxAgeDays}): do not call it current.`] : [];
}

function outOfBounds({ bounds = {} }: CheckRules, name: string, value: Json): string[] {
  if (typeof value !== 'number' || !Object.hasOwn(bounds, name)) return [];
  const { min = -Infinity, max = Infinity } = bounds[name]!;
  return value >= min && value <= max ? [] : [`${name} is ${value}, outside of ${min} to ${max}: do not rely on it.`];
}

function missingMentions({ mentions = [] }: CheckRules, input: JsonObject, data: Json): string[] {
  const text = JSON.stringify(data).toLowerCase();
  return mentions
    .filter((field) => Object.hasOwn(input, field) && ['string', 'number'].includes(typeof input[field]))
    .map((field) => [field, String(input[field])] as const)
    .filter(([, value]) => value !== '' && !text.includes(JSON.stringify(value).slice(1, -1).toLowerCase()))
    .map(([field, value]) => `The result does not mention ${field} ${JSON.stringify(value.slice(0, 60))}: is it about that?`);
}

/** Calls `look` for each value with its field's name, at any depth, up to a limit. */
function walk(data: Json, look: (name: string, value: Json) => string[]): string[] {
  const matches: string[] = [];
  const waiting: [string, Json][] = [['', data]];
  for (let count = 0; waiting.length > 0 && count < 10_000 && matches.length < 5; count++) {
    const [name, value] = waiting.pop()!;
    matches.push(...look(name, value));
    if (Array.isArray(value)) for (const item of value.slice(0, 10_000)) waiting.push([name, item]);
    else if (isJsonObject(value)) waiting.push(...Object.entries(value).slice(0, 10_000));
  }
  return matches;
}
