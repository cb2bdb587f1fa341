/**
 * Page cursors: opaque to the model, sealed with the store's key for one tool and one principal, so that
 * a cursor that was altered, made up or taken from elsewhere is refused instead of read.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonical } from '../shared/canonical';
import type { Json } from '../shared/json';
import { parseJson } from '../shared/parse-json';
import { ToolError } from './errors';

export interface Cursors {
  /** Text that stands for a position, at most a few hundred characters for a small position. */
  seal(position: Json): string;
  /** @throws ToolError INVALID_PARAMS `bad_cursor` unless this tool gave it to this principal */
  open(cursor: string): Json;
}

const TAG_BYTES = 16;

/** @param key at least 32 secret bytes */
export function cursorsFor(key: Buffer, scope: { tool: string; principal: string }): Cursors {
  const tag = (body: Buffer) =>
    createHmac('sha256', key)
      .update(canonical({ ...scope }))
      .update('\n')
      .update(body)
      .digest()
      .subarray(0, TAG_BYTES);
  return {
    seal(position) {
      const body = Buffer.from(canonical(position), 'utf8');
      return Buffer.concat([tag(body), body]).toString('base64url');
    },
    open(cursor) {
      const bytes = Buffer.from(cursor, 'base64url');
      const body = bytes.subarray(TAG_BYTES);
      const genuine =
        bytes.length > TAG_BYTES &&
        bytes.toString('base64url') === cursor && // one spelling only
        timingSafeEqual(bytes.subarray(0, TAG_BYTES), tag(body));
      if (!genuine) {
        throw new ToolError('INVALID_PARAMS', 'bad_cursor', 'This cursor was not given by this tool, or it was changed.', {
          hint: 'Use next_cursor exactly as the page before gave it, or leave cursor out to begin anew.',
          nothingHappened: false, // the tool may have acted before it asked
        });
      }
      return parseJson(body.toString('utf8'));
    },
  };
}
