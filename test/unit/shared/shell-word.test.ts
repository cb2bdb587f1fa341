import { shellWord } from '../../../src/shared/text/visible';

test.each(['look=destructive', '-32602', 'a.b:c@d+e/f', 'one,two'])('%s needs no quotes', (word) =>
  expect(shellWord(word)).toBe(word),
);
test.each([
  ['get_*=read', "'get_*=read'"],
  ['=ls', "'=ls'"],
  ['$(id)', "'$(id)'"],
  ["it's", "'it'\\''s'"],
  ['', "''"],
])('%j is quoted: %s', (word, quoted) => expect(shellWord(word)).toBe(quoted));
