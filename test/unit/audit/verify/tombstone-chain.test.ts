import { chainFaults } from '../../../../src/audit/verify/chain';

const link = (name: string, root: string, before: string | null) => ({
  name,
  agent: 'clerk',
  root,
  previous: before === null ? null : { root: before, subject: 'turn/x' },
});
const [first, last] = [link('a', 'A', null), link('d', 'D', 'C')];

test('a bundle that was left out shows; one that was deleted with a tombstone does not', () => {
  expect(chainFaults([first, last], null)).toHaveLength(1);
  expect(
    chainFaults(
      [first, last],
      null,
      new Map([
        ['C', 'B'],
        ['B', 'A'],
      ]),
    ),
  ).toEqual([]);
  expect(chainFaults([first, last], null, new Map([['C', 'B']]))).toHaveLength(1);
});

test('tombstones in a circle lead nowhere', () => {
  expect(
    chainFaults(
      [first, last],
      null,
      new Map([
        ['C', 'B'],
        ['B', 'C'],
      ]),
    ),
  ).toHaveLength(1);
});
