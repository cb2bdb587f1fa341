/** A `part` line with what a tool has returned, for bundles that are to be large. */
import { sealPart } from '../../../src/store/core/seal';
import type { AnyLine } from '../../support/rewrite-bundle';

const SENTENCE = 'A sentence out of some filing. ';

/** @param bytes of the result's text, about */
export function resultPart(number: number, bytes: number): AnyLine {
  const salt = number.toString(16).padStart(32, '0');
  const data = { number, text: SENTENCE.repeat(bytes / SENTENCE.length) };
  const envelope = { success: true, status: 'success', data };
  const { hash, body } = sealPart(salt, { call_id: '1.1', envelope, summary: 'text' });
  return { kind: 'part', body: { ref: hash, part: { v: 'holdfast.part/1', salt, body } } };
}
