import { runsQuery } from '../../../src/client/recorded-runs';
import { turnQuery } from '../../../src/client/turns/listing';
import { checkTrailQuery } from '../../../src/store/core/trail';
import { UnsearchableText, visibilityText } from '../../../src/shared/text/visible';

test('a text with any content stays within its quotes', () => {
  expect(visibilityText("o'\\x")).toBe("'o\\'\\\\x'");
  expect(visibilityText('Größe 📄')).toBe("'Größe 📄'");
});

test.each(['\0', 'a\u001fb', '\u007f', '\ud800'])('%j is refused in every part of a query', (text) => {
  expect(() => visibilityText(text)).toThrow(UnsearchableText);
  expect(() => turnQuery({ agent: text })).toThrow('no list can be asked for');
  expect(() => turnQuery({ sight: { requester: text } })).toThrow(UnsearchableText);
  expect(() => runsQuery({ query: `HoldfastAgent = '${text}'` })).toThrow(UnsearchableText);
  for (const field of ['tool', 'by', 'requester', 'turn'])
    expect(() => checkTrailQuery({ [field]: text })).toThrow(UnsearchableText);
});

test('a query over several lines is one', () => {
  expect(runsQuery({ query: "A = 'b'\n AND C = 'd'" })).toContain("(A = 'b'  AND C = 'd')");
});
