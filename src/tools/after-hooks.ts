/** After-hooks over one result. They annotate: what the tool returned is stored as it was, whatever they say or do. */
import type { Envelope, EnvelopeMetadata, HookNote } from '../shared/envelope';
import type { JsonObject } from '../shared/json';
import { HOOK_TIMEOUT, hooksFor, within, type AfterHook, type HookContext, type HookResult } from './hooks';
import { toJson } from './to-json';
import { exceptionText } from '../shared/exception-text';

const FIELD = /^[a-z][a-z0-9_]{0,40}$/;
const LONGEST_NOTE = 1000;
/** Of all that one hook puts into the metadata, characters of JSON. */
const LARGEST_METADATA = 8000;

/** The envelope with what the hooks say of it; a hook that fails is noted, and the result stands. */
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
      const { note, fields } = checked(answer ?? {}, metadata);
      metadata = { ...metadata, ...fields };
      notes.push({ hook: hook.name, ...(note === undefined ? {} : { note }) });
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

/** @throws Error for an answer that cannot be kept */
function checked(answer: { note?: unknown; metadata?: unknown }, taken: EnvelopeMetadata): { note?: string; fields: JsonObject } {
  const note = answer.note === undefined ? {} : { note: String(answer.note).slice(0, LONGEST_NOTE).toWellFormed() };
  const json = toJson(answer.metadata ?? {});
  if (!json.ok) throw new Error(`its metadata are not JSON: ${json.message}`);
  const fields = json.data as JsonObject;
  if (JSON.stringify(fields).length > LARGEST_METADATA)
    throw new Error(`its metadata are larger than ${LARGEST_METADATA} characters`);
  const wrong = Object.keys(fields).find((name) => !FIELD.test(name) || name === 'hooks' || Object.hasOwn(taken, name));
  if (wrong !== undefined) throw new Error(`metadata.${wrong} is taken, or no name such as ${FIELD.source}`);
  return { ...note, fields };
}
