import fc from 'fast-check';
import { decisionFault, nameOfVote, peopleOf, PLAIN_POLICY, samePerson, type Vote } from '../../../src/shared/approval/approval';
import { countVotes } from '../../../src/audit/verify/deputies';
import { runs } from '../../support/runs';

const person = fc.constantFrom('ana', 'bob', 'carl', 'dora', 'Ana', ' BOB ');
const vote: fc.Arbitrary<Vote> = fc
  .record({ by: person, on_behalf_of: person }, { requiredKeys: ['by'] })
  .filter(({ by, on_behalf_of }) => on_behalf_of === undefined || !samePerson(by, on_behalf_of));
const many = fc.array(vote, { maxLength: 8 });

/** The decisions that count, in the order in which they come, as the workflow takes them. */
function counted(votes: readonly Vote[], makers: string[] = []): Vote[] {
  const said: Vote[] = [];
  const policy = { ...PLAIN_POLICY, four_eyes: makers.length > 0, quorum: 10 };
  for (const one of votes) {
    const question = { digest: 'd'.repeat(64), policy, makers, expires_at: null, said };
    if (decisionFault(question, { kind: 'approve', attested: true, ...one }, 0) === null) said.push(one);
  }
  return said;
}

describe('a deputy and the person for whom the deputy decides', () => {
  it('are one vote, whoever decides first, and so is a deputy of two people', () => {
    const stead = { by: 'bob', on_behalf_of: 'ana' };
    for (const other of [
      { by: 'ana' },
      { by: 'bob' },
      { by: 'carl', on_behalf_of: 'ana' },
      { by: 'bob', on_behalf_of: 'dora' },
    ]) {
      expect(counted([stead, other])).toEqual([stead]);
      expect(counted([other, stead])).toEqual([other]);
    }
    expect(counted([stead, { by: 'carl' }])).toHaveLength(2);
    expect(counted([{ by: 'ana' }, { by: 'bob' }])).toHaveLength(2);
    expect(nameOfVote(stead)).toBe('bob for ana');
  });

  it('never count twice: behind any decisions that count, nobody stands twice', () => {
    fc.assert(
      fc.property(many, (votes) => {
        const people = counted(votes).flatMap(peopleOf);
        const twice = people.find((one, index) => people.slice(0, index).some((earlier) => samePerson(earlier, one)));
        expect(twice).toBeUndefined();
      }),
      { numRuns: runs(500, 2000) },
    );
  });

  it('never give more votes than there are people who decided themselves', () => {
    fc.assert(
      fc.property(many, (votes) => {
        const authors = new Set(votes.map(({ by }) => by.trim().toLowerCase()));
        expect(counted(votes).length).toBeLessThanOrEqual(authors.size);
        expect(countVotes(votes)).toBe(counted(votes).length);
      }),
      { numRuns: runs(500, 2000) },
    );
  });

  it('do not decide on what either of them asked for, under four eyes', () => {
    fc.assert(
      fc.property(many, fc.array(person, { minLength: 1, maxLength: 3 }), (votes, makers) => {
        for (const one of counted(votes, makers).flatMap(peopleOf))
          expect(makers.some((maker) => samePerson(maker, one))).toBe(false);
      }),
      { numRuns: runs(500, 2000) },
    );
    expect(counted([{ by: 'bob', on_behalf_of: 'ana' }], ['ana'])).toEqual([]);
    expect(counted([{ by: 'bob', on_behalf_of: 'ana' }], ['bob'])).toEqual([]);
  });
});
