import fc from 'fast-check';
import {
  contentOf,
  fileNote,
  filesIn,
  isFilePart,
  messageFault,
  messageText,
  type Message,
} from '../../../src/shared/turn/message';

const file = { type: 'document' as const, file: 'a'.repeat(64), name: 'a.pdf', media_type: 'application/pdf', size: 12 };
const text = { type: 'text' as const, text: 'Pay this.' };

describe('a message', () => {
  it('is a text or parts, and reads as text for people with its files named', () => {
    expect([messageFault('Pay.'), messageFault([text, file])]).toEqual([null, null]);
    expect(messageText([text, file])).toBe('Pay this.\n[document a.pdf, application/pdf, 12 bytes]');
    expect(fileNote(file)).toBe('[document a.pdf, application/pdf, 12 bytes]');
    expect([contentOf('Pay.'), filesIn('Pay.'), filesIn([text, file])]).toEqual([[{ type: 'text', text: 'Pay.' }], [], [file]]);
  });

  it.each([
    ['nothing', '', 'must be 1 to 100000 characters'],
    ['white space', ' \n', 'must be 1 to 100000 characters'],
    ['half a character', '\ud800', 'must be 1 to 100000 characters'],
    ['a number', 7, 'must be 1 to 100000 characters'],
    ['an object', { text: 'x' }, 'must be 1 to 100000 characters'],
    ['no parts', [], 'must have 1 to 40 parts'],
    ['too many parts', Array.from({ length: 10_000 }, () => text), 'must have 1 to 40 parts'],
    ['too many files', Array.from({ length: 21 }, () => file), 'has 21 files; 20 are allowed'],
    [
      'files of more than 32 MB',
      [{ ...file, size: 2 ** 24 }, { ...file, size: 2 ** 24 }, file],
      'has files of 33554444 bytes together',
    ],
    [
      'too much text',
      [
        { ...text, text: 'x'.repeat(99_999) },
        { ...text, text: 'xx' },
      ],
      'has 100001 characters of text',
    ],
    ['a file with bytes in it', [{ ...file, data: 'AAAA' }], 'has a part (number 1)'],
    ['a text with more in it', [text, { ...text, file: 'x' }], 'has a part (number 2)'],
  ])('is refused: %s', (_what, value, fault) => {
    expect(messageFault(value as never)).toContain(fault);
  });

  it('has files of known types only, each as what it is', () => {
    for (const change of [
      { type: 'image' },
      { media_type: 'image/svg+xml' },
      { size: 0 },
      { size: 1.5 },
      { size: 2 ** 25 + 1 },
      { name: '' },
      { name: 'x'.repeat(121) },
      { name: '\udc00' },
      { file: 'A'.repeat(64) },
      { media_type: '__proto__' },
    ])
      expect(isFilePart({ ...file, ...change } as never)).toBe(false);
  });

  it('is judged without an error, whatever it is; what passes has text or files', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        const fault = messageFault(value as never);
        if (fault === null) expect(messageText(value as Message).trim()).not.toBe('');
      }),
    );
  });
});
