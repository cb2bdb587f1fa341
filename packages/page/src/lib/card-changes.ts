/** Whether a card has changed since a person looked at it, and in which part. */
import type { Question } from '../../../../src/shapes/turn-view';
import { nameOfVote } from '../../../../src/shared/approval/approval';

/** What a person looks at before deciding. Not the Markdown, which says the same. */
function partsOf({ card, approval }: Question): Record<string, unknown> {
  const { will_happen, input, acts_on, held, words, untrusted, reason, changes, policy, error, expires_at, kind } = card;
  const { evidence, question, choices, schema, to } = card;
  return {
    'what will happen': will_happen,
    'what the tool found out': evidence,
    'the question': { question, choices, schema, to },
    input: { input, acts_on },
    'in whose words': { words, untrusted },
    'why a person is asked': { kind, held, reason, changes, error },
    policy: { policy, expires_at },
    'the decisions so far': approval.decisions.map((one) => ({ decision: one.decision, by: nameOfVote(one) })),
  };
}

/** The names of the parts that differ. */
export function changedParts(before: Question, after: Question): string[] {
  const [old, present] = [partsOf(before), partsOf(after)];
  return Object.keys(present).filter((name) => JSON.stringify(old[name]) !== JSON.stringify(present[name]));
}
