import * as fc from 'fast-check';
import { publicLink } from '../../../src/shared/wire/links';

const DIGEST = 'd'.repeat(64);

it('a link leads to a call of a turn, or to the turn, behind #, also below a path prefix', () => {
  const call = publicLink('https://agents.bank.example/desk', { turn_id: 'inv-7', digest: DIGEST });
  expect(call).toBe(`https://agents.bank.example/desk/#/turns/inv-7/calls/${DIGEST}`);
  expect(publicLink('http://localhost:8480', { turn_id: 'inv-7' })).toBe('http://localhost:8480/#/turns/inv-7');
  expect(publicLink(null, { turn_id: 'inv-7', digest: DIGEST })).toBeNull();
});

it('whatever the ids are, the link stays on the page, and both can be read back from it', () => {
  const id = fc.string({ unit: 'grapheme', minLength: 1 });
  fc.assert(
    fc.property(id, id, (turn_id, digest) => {
      const url = new URL(publicLink('https://bank.example/desk', { turn_id, digest }));
      expect(url.origin + url.pathname + url.search).toBe('https://bank.example/desk/');
      const [, turns, turn, calls, call] = url.hash.slice(1).split('/');
      expect([turns, decodeURIComponent(turn!), calls, decodeURIComponent(call!)]).toEqual(['turns', turn_id, 'calls', digest]);
    }),
  );
});
