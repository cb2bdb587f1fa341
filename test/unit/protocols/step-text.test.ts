import { property, assert, array, integer, string, record, constantFrom } from 'fast-check';
import { StepText } from '../../../src/protocols/turns/step-text';

const delta = (offset: number, text: string, more: { step?: number; attempt?: number } = {}) => ({
  ...{ type: 'text_delta' as const, at: '', step: 1, attempt: 1 },
  offset,
  text,
  ...more,
});

describe('the text of a step', () => {
  it('is what was sent, and what is missing at its end', () => {
    const text = new StepText();
    expect([text.piece(delta(0, 'It ')), text.piece(delta(3, 'costs'))]).toEqual(['It ', 'costs']);
    expect(text.complete(1, 'It costs 7.')).toEqual({ rest: ' 7.' });
    expect(text.complete(2, 'No piece came.')).toEqual({ rest: 'No piece came.' });
  });

  it('is replaced if the model began anew, or a piece was lost', () => {
    const text = new StepText();
    text.piece(delta(0, 'Wrong '));
    expect(text.piece(delta(0, 'Right', { attempt: 2 }))).toBeNull();
    expect(text.complete(1, 'Right.')).toEqual({ instead: 'Right.' });
    text.piece(delta(0, 'One', { step: 2 }));
    expect(text.piece(delta(5, 'three', { step: 2 }))).toBeNull();
    expect(text.complete(2, 'Onetwothree')).toEqual({ rest: 'twothree' });
  });

  it('keeps pieces of a text that is too long for history', () => {
    const text = new StepText();
    text.piece(delta(0, 'x'.repeat(100)));
    expect(text.complete(1, `${'x'.repeat(10)}\n… (cut)`)).toEqual({ rest: '' });
  });

  it('is whole for a reader, whatever pieces come', () => {
    const pieces = array(
      record({ from: integer({ min: 0, max: 12 }), length: integer({ min: 0, max: 6 }), attempt: constantFrom(1, 2) }),
    );
    assert(
      property(string({ minLength: 1, maxLength: 12 }), pieces, (whole, all) => {
        const text = new StepText();
        let read = '';
        for (const { from, length, attempt } of all)
          read += text.piece(delta(from, whole.slice(from, from + length), { attempt })) ?? '';
        const end = text.complete(1, whole);
        expect('instead' in end ? end.instead : read + end.rest).toBe(whole);
      }),
    );
  });
});
