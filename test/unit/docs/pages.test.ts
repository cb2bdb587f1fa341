/** What no page says any more. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../support/named-tests';

const PAGES = [
  'README.md',
  'AGENTS.md',
  ...readdirSync(join(ROOT, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
];

/** Of what has shipped; what is left out for good says why. */
const DENIALS =
  /\bnot yet\b|\bnot in this build\b|\bin this build yet\b|\bcomes? with (?:the gateway|the streams|sessions|issue)\b|\bwill be another way\b/i;

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(ROOT, page), 'utf8');

  it('does not deny what exists', () => {
    expect(text.split('\n').filter((line) => DENIALS.test(line))).toEqual([]);
  });

  it('lists each setting once', () => {
    const names = text.split('\n').flatMap((line) => {
      const [, cell] = /^\| ((?:`[^`|]+`[,; ]*)+)\|/.exec(line) ?? [];
      return cell ? [...cell.matchAll(/`(HOLDFAST_[A-Z_]+)`/g)].map(([, name]) => name!) : [];
    });
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });
});
