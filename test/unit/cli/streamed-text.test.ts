import { StreamedText, type Piece } from '../../../src/cli/support/streamed-text';

function shown(pieces: (Partial<Piece> & { text: string })[]) {
  const written: string[] = [];
  const typed = new StreamedText((text) => void written.push(text));
  for (const piece of pieces) typed.add({ step: 1, attempt: 1, offset: 0, ...piece });
  return { typed, text: () => written.join('') };
}

describe('text as the model writes it', () => {
  it('is shown once: a text that arrived complete is not shown again', () => {
    const { typed, text } = shown([{ text: 'Good ' }, { text: 'day.', offset: 5 }]);
    expect(typed.open).toBe(true);
    typed.end();
    typed.end();
    expect(text()).toBe('Good day.\n');
    expect([typed.open, typed.hasShown('Good day.'), typed.hasShown('Good'), typed.hasShown('')]).toEqual([
      ...[false, true, false, false],
    ]);
  });

  it('with a gap stops there, and the finished text is shown after it', () => {
    const { typed, text } = shown([{ text: 'Good ' }, { text: 'y.', offset: 7 }, { text: 'da', offset: 5 }]);
    expect(text()).toBe('Good ');
    expect(typed.hasShown('Good day.')).toBe(false);
  });

  it('begins on a line of its own when the request is made again, and at the next step', () => {
    const { typed, text } = shown([{ text: 'Goo' }, { attempt: 2, text: 'Good.' }, { step: 2, text: 'Well.' }]);
    expect(text()).toBe('Goo\nGood.\nWell.');
    expect([typed.hasShown('Good.'), typed.hasShown('Well.')]).toEqual([false, true]);
  });

  it('cannot steer the terminal', () => {
    const { text } = shown([{ text: 'a\x1b[2Jb' }]);
    expect(text()).not.toContain('\x1b');
  });
});
