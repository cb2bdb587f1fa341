/** Files of a recorded turn go to the model with their bytes from the bundle, and a turn whose file was left out is not asked. */
import { withRecordedFiles } from '../../../../src/audit/ask-anew/recorded-files';
import { CannotAskError } from '../../../../src/audit/ask-anew';
import type { FileCase } from '../../../../src/audit/case-file/types';
import type { ModelMessage } from '../../../../src/model/provider';

const part = { type: 'document' as const, file: 'f'.repeat(64), name: 'invoice.pdf', media_type: 'application/pdf', size: 3 };
const kept: FileCase = { ...part, sha256: 'a'.repeat(64), bytes: Buffer.from('PDF') };
const block = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'UERG' }, title: 'invoice.pdf' };

const message = (content: ModelMessage['content'], role: ModelMessage['role'] = 'user'): ModelMessage => ({ role, content });
const text = { type: 'text', text: 'Pay this.' };

test('in a message, and in what a tool has shown', () => {
  const result = { type: 'tool_result', tool_use_id: 'use_1', content: [text, { ...part }] };
  const shown = withRecordedFiles([message([text, { ...part }]), message([result])], [kept]);
  expect(shown).toEqual([message([text, block]), message([{ ...result, content: [text, block] }])]);
});

test('a reference that a model wrote is text', () => {
  const answer = message([{ ...part }], 'assistant');
  expect(withRecordedFiles([answer], [kept])).toEqual([answer]);
});

test('a file that was left out cannot be asked about', () => {
  for (const files of [[], [{ ...kept, bytes: null }]])
    expect(() => withRecordedFiles([message([{ ...part }])], files)).toThrow(CannotAskError);
});
