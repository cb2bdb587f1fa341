import { ANTHROPIC_FILES, COMPATIBLE_FILES, withTakenFiles } from '../../../src/model/taken-files';
import { toWire } from '../../../src/model/anthropic/wire';
import { pdf, png } from '../../support/files/samples';

const image = (bytes = png()) => ({
  type: 'image',
  source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
});
const document = {
  type: 'document',
  source: { type: 'base64', media_type: 'application/pdf', data: pdf().toString('base64') },
  title: 'invoice.pdf',
};
const note = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Hello' }, title: 'note.txt' };
const user = (...content: object[]) => [{ role: 'user' as const, content: content as never }];

describe('files that a model does not take', () => {
  it('are replaced by a text that says so, in messages and in results; the others stay', () => {
    const result = { type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: '{}' }, document] };
    const [message] = withTakenFiles(user({ type: 'text', text: 'Look.' }, image(), document, note, result), COMPATIBLE_FILES);
    const said = `[The PDF "invoice.pdf" of ${pdf().length} bytes was left out: this model takes no PDFs. Say so if it matters.]`;
    const [text, picture, first, plain, last] = message!.content as any[];
    expect([text, picture, plain]).toEqual([{ type: 'text', text: 'Look.' }, image(), note]);
    expect(first).toEqual({
      type: 'text',
      text: expect.stringMatching(/^\[The PDF "invoice.pdf" of \d+ bytes was left out: this model takes no PDFs/),
    });
    expect(last.content[1].text.slice(0, 24)).toBe(said.slice(0, 24));
  });

  it('are too large for the vendor: the largest image of the Messages API has 5 MB as base64', () => {
    const large = { ...image(), source: { ...image().source, data: 'A'.repeat(5 * 1024 * 1024 + 4) } };
    const wire = toWire({
      model: 'm',
      system: '',
      messages: user(large, image()),
      tools: [],
      serverTools: [],
      maxTokens: 1,
      options: {},
    });
    const [first, second] = (wire.messages[0] as any).content;
    expect(first.text).toMatch(/^\[The image of \d+ bytes was left out: this model takes an image of at most 3900000 bytes/);
    expect(second).toEqual(image());
    expect(ANTHROPIC_FILES.image * (4 / 3)).toBeLessThan(5 * 1024 * 1024);
  });

  it('stay in the answers of the model, which has no files', () => {
    const answer = { role: 'assistant' as const, content: [document] as never };
    expect(withTakenFiles([answer], { image: 0, pdf: 0 })).toEqual([answer]);
  });
});
