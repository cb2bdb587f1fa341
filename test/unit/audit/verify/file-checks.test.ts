/** Rule B14: the files that messages name. */
import { createHash } from 'node:crypto';
import { BundleFiles, TurnFiles } from '../../../../src/audit/verify/file-checks';
import type { Json } from '../../../../src/shared/json/json';
import { png } from '../../../support/files/samples';

const bytes = png();
const HEAD = '1'.repeat(64);
const MESSAGE = '2'.repeat(64);
const FILE = 'a'.repeat(64);
const BYTES = 'b'.repeat(64);
const named = { type: 'image', file: FILE, name: 'a.png', media_type: 'image/png', size: bytes.length };
const described = {
  ...{ v: 'holdfast.file/1', owner: 'rita', name: 'a.png', media_type: 'image/png', size: bytes.length, bytes: BYTES },
  sha256: createHash('sha256').update(bytes).digest('hex'),
};
const content = { v: 'holdfast.file-bytes/1', data: bytes.toString('base64') };
const part = (body: Json) => ({ v: 'holdfast.part/1' as const, salt: '0'.repeat(32), body });

/** @param changes parts in place of the right ones; null: left out; undefined: no line has it */
function faultWith(changes: Partial<Record<'head' | 'message' | 'file' | 'bytes', Json | undefined>>): string | null {
  const turn = new TurnFiles(new BundleFiles());
  const all = { head: { role: 'user' }, message: named, file: described, bytes: content, ...changes };
  const refs = { head: HEAD, message: MESSAGE, file: FILE, bytes: BYTES };
  for (const [name, body] of Object.entries(all) as [keyof typeof refs, Json | undefined][])
    if (body !== undefined) turn.part(refs[name], body === null ? null : part(body));
  turn.message([HEAD, MESSAGE]);
  return turn.fault();
}

describe('a file that a message names (B14)', () => {
  it('is there, with the bytes that its description says', () => {
    expect(faultWith({})).toBeNull();
    expect(
      faultWith({ message: { type: 'tool_result', tool_use_id: 'x', content: [{ type: 'text', text: '{}' }, named] } }),
    ).toBeNull();
  });

  it('may be left out, or its bytes alone', () => {
    expect(faultWith({ file: null, bytes: null })).toBeNull();
    expect(faultWith({ bytes: null })).toBeNull();
    expect(faultWith({ message: null })).toBeNull();
  });

  it('may be named 200,000 times in one message', () => {
    const message = { type: 'tool_result', tool_use_id: 'x', content: Array<Json>(200_000).fill(named) };
    expect(faultWith({ message, file: null })).toBeNull();
    expect(faultWith({ message, file: undefined })).toMatch(/^A message names a file that is not in the bundle/);
  });

  it('is missing', () => {
    expect(faultWith({ file: undefined })).toBe(`A message names a file that is not in the bundle (${FILE})`);
    expect(faultWith({ bytes: undefined })).toBe(`The bytes of the file ${FILE} are not in the bundle`);
  });

  it('is something else than the message says', () => {
    for (const field of ['name', 'media_type', 'size'])
      expect(faultWith({ file: { ...described, [field]: field === 'size' ? 7 : 'image/gif' } })).toMatch(
        /is another than the message says/,
      );
    expect(faultWith({ file: { kept: 'x' } })).toBe('A message names as a file what is none');
    expect(faultWith({ file: content })).toBe('A message names as a file what is none');
    expect(faultWith({ file: { ...described, v: 'holdfast.file/2' } })).toBe('A message names as a file what is none');
  });

  it('has other bytes', () => {
    for (const other of [
      { ...content, data: png(2).toString('base64') },
      { ...content, data: `${content.data}!` },
      { data: content.data },
      described,
    ])
      expect(faultWith({ bytes: other })).toBe(`The bytes of the file ${FILE} are others than its description says`);
    expect(faultWith({ file: { ...described, sha256: 'f'.repeat(64) } })).toMatch(/are others than/);
  });

  it('counts for nothing in an answer of the model, and in another form', () => {
    expect(faultWith({ head: { role: 'assistant' }, file: undefined })).toBeNull();
    for (const other of [
      { ...named, size: 0 },
      { ...named, more: 1 },
      { ...named, type: 'document' },
      { ...named, file: 'x' },
      { ...named, name: '' },
    ])
      expect(faultWith({ message: other, file: undefined })).toBeNull();
  });
});
