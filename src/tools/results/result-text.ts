/** Makes the three forms of a result: the stored one, the text for the model, and the one-line summary; and `read_result`. */
import { z } from 'zod';
import type { PartOwner, StoredResult } from '../../record/parts';
import { canonical } from '../../shared/json/canonical';
import { cutBytes } from '../../shared/text/utf8';
import type { Envelope, CallError } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import { INLINE_BYTES } from '../../shared/io/activities';
import { READ_RESULT } from '../../rules';
import { deprecationNotice } from '../define/versions';
import { readInputOrThrow } from '../schema/input-output';
import type { Tool } from '../define/tool';
import { defineBuiltIn } from '../define/define';
import { ToolError } from '../define/errors';
import { withoutBytes } from './result-files';

const SUMMARY = 300;

export function storedResult(tool: Tool, input: JsonObject, envelope: Envelope, owner: PartOwner): StoredResult {
  const bytes = Buffer.byteLength(canonical(envelope.success ? withoutBytes(envelope.data) : null));
  const limit = tool.maxInlineBytes ?? INLINE_BYTES;
  const inline = limit === 'unlimited' || bytes <= limit;
  const own = typeof tool.maxInlineBytes === 'number' && !inline ? { inline_bytes: tool.maxInlineBytes } : {};
  return { ...owner, envelope, summary: summaryOf(tool, input, envelope), inline, ...own };
}

function summaryOf(tool: Tool, input: JsonObject, envelope: Envelope): string {
  if (!envelope.success) return cut(`${envelope.error.code} ${envelope.error.reason}: ${envelope.error.message}`);
  try {
    return cut(tool.summarize?.(envelope.data, readInputOrThrow(tool, input)) ?? JSON.stringify(withoutBytes(envelope.data)));
  } catch {
    return cut(JSON.stringify(withoutBytes(envelope.data))); // an exception in `summarize` must not lose the result
  }
}

function cut(text: string): string {
  return text.length <= SUMMARY ? text : `${text.slice(0, SUMMARY).toWellFormed()}… (${text.length} characters)`;
}

/** The text of a result for the model: the data, or its beginning and a reference to the rest. */
export function resultText(ref: string, result: StoredResult, note: string | null): string {
  const { envelope } = result;
  if (!envelope.success) return errorText(envelope.error, allNotes(envelope, note));
  const cache = envelope.metadata.cache.hit ? { cache: { ...envelope.metadata.cache } } : {};
  const visibleData = withoutBytes(envelope.data);
  const data: Json = result.inline ? visibleData : largeResult(ref, result, visibleData);
  const { deprecation } = envelope.metadata;
  const notice = deprecation === undefined ? {} : { deprecated: deprecationNotice(deprecation) };
  const notes = allNotes(envelope, note);
  return JSON.stringify({ success: true, data, ...cache, ...notice, ...(notes === null ? {} : { note: notes }) });
}

/** The notes of the engine and of the after-hooks for the model. */
function allNotes({ metadata }: Envelope, note: string | null): string | null {
  const notes = [note, ...(metadata.hooks ?? []).map((hook) => hook.note ?? null)].filter((text) => text !== null);
  return notes.length === 0 ? null : notes.join(' ');
}

/** `text` is the beginning of the JSON that `read_result` reads, up to `next_offset`. */
function largeResult(ref: string, { summary, inline_bytes = INLINE_BYTES }: StoredResult, data: Json): Json {
  const json = JSON.stringify(data);
  const text = cutBytes(json, inline_bytes);
  const next = text.length;
  return {
    ref,
    bytes: Buffer.byteLength(json),
    summary,
    text,
    next_offset: next,
    hint: `Too large to give whole: this is its beginning. Read on with read_result {"ref": "${ref}", "offset": ${next}, "limit": 8000}.`,
  };
}

/** The text of an error for the model. */
export function errorText(error: CallError, note: string | null): string {
  const { kind, code, reason, message, hint, retryable, details, replacement, sunset_date, migration_guide } = error;
  return JSON.stringify({
    success: false,
    error: {
      kind,
      code,
      reason,
      message,
      retryable,
      hint, // JSON.stringify leaves out undefined fields
      details: details?.slice(0, 20),
      replacement,
      sunset_date,
      migration_guide,
    },
    note: note ?? undefined,
  });
}

let builtIn: Tool | undefined;

/**
 * The tool with which a model reads the rest of a result that was too large for one text. Every agent has it. Made at its first use,
 * since its schema is compiled then.
 */
export function readResultTool(): Tool {
  return (builtIn ??= defineReadResult());
}

function defineReadResult(): Tool {
  return defineBuiltIn({
    name: READ_RESULT,
    version: '1.0.1',
    class: 'read',
    description: {
      does: 'Reads a stored tool result of this turn, piece by piece, as JSON text.',
      returns: '{ref, offset, total, text, next_offset}: total is the length in characters; next_offset is null at the end.',
      useWhen: 'a result says that it was too large and gives a ref, and its summary is not enough.',
      dontUseFor: 'files, web pages or results of other conversations.',
      example: '{"ref": "<64 hex characters from the result>", "offset": 0, "limit": 4000}',
    },
    input: z.object({
      ref: z
        .string()
        .regex(/^[0-9a-f]{64}$/)
        .describe('The ref that the result gave.'),
      offset: z.number().int().min(0).max(1_000_000_000).default(0).describe('First character.'),
      limit: z.number().int().min(1).max(8000).default(4000).describe('Characters to read.'),
    }),
    output: z.object({
      ref: z.string(),
      offset: z.number().int(),
      total: z.number().int(),
      text: z.string(),
      next_offset: z.number().int().nullable(),
    }),
    maxInlineBytes: 40_000,
    async run({ ref, offset, limit }, ctx) {
      const text = JSON.stringify(await ctx.store.readResult(ref));
      if (offset > text.length) {
        throw new ToolError(
          'INVALID_PARAMS',
          'offset_beyond_end',
          `offset ${offset} is beyond the end; the result has ${text.length} characters.`,
        );
      }
      const end = Math.min(offset + limit, text.length);
      return {
        ref,
        offset,
        total: text.length,
        text: text.slice(offset, end).toWellFormed(),
        next_offset: end < text.length ? end : null,
      };
    },
  });
}
