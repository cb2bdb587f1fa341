/** Compares two bundles for the report: what is the same, and what differs. */
import type { CallCase, CaseFile, TurnCase } from '../case-file';
import type { Node, Text } from './doc';
import { describeOutcome } from './narrative';
import { between, costText, duration, name, pretty, quote, short, when } from './format-values';

export function comparison(left: CaseFile, right: CaseFile): Node[] {
  const [a, b] = [left.turns[0], right.turns[0]];
  if (!a || !b) return [{ is: 'paragraph', text: 'One of the two has no turn: there is nothing to compare.' }];
  return [
    table(
      'The turns',
      TURN_ROWS.map(([label, of]) => [label, of(a), of(b)]),
    ),
    table('The calls', callRows(a, b)),
  ];
}

const TURN_ROWS: [string, (turn: TurnCase) => string][] = [
  ['turn', ({ turnId }) => name(turnId)],
  ['agent', ({ agent }) => name(agent)],
  ['asked by', ({ requester }) => name(requester)],
  ['asked', ({ asked }) => (asked === null ? 'unknown' : quote(asked))],
  ['began', ({ startedAt }) => when(startedAt)],
  ['took', ({ startedAt, endedAt }) => duration(between(startedAt, endedAt))],
  ['state', ({ state }) => name(state)],
  ['model', ({ model }) => name(model ?? 'unknown')],
  ['definition of the agent', ({ definitionRef }) => short(definitionRef)],
  ['rules', ({ policyRef }) => short(policyRef)],
  ['model requests', ({ steps }) => String(steps.length)],
  ['cost', ({ usage }) => costText(usage)],
  ['answer', ({ answer }) => (answer === null ? 'none' : quote(answer))],
];

const MOST = 200;

/** Pairs calls by id and revision: equal ids mean the same step. */
function callRows(a: TurnCase, b: TurnCase): [string, string, string][] {
  const keys = [...new Set([...a.calls, ...b.calls].map(keyOf))]
    .sort((x, y) => x.localeCompare(y, 'en', { numeric: true }))
    .slice(0, MOST);
  return keys.map((key) => {
    const of = ({ calls }: TurnCase) => calls.filter(({ takenBack }) => !takenBack).find((call) => keyOf(call) === key);
    return [`call ${key}`, callText(of(a)), callText(of(b))];
  });
}

function keyOf({ id, revision }: CallCase): string {
  return revision > 1 ? `${name(id)} revision ${revision}` : name(id);
}

function callText(call: CallCase | undefined): string {
  if (!call) return 'there is none';
  const people = call.decisions.map(({ decision, by }) => `${name(decision)} by ${name(by)}`).join(', ');
  return `${name(call.tool)} ${quote(pretty(call.input), 200)}; ${call.verdict ?? 'no verdict'}${people ? `; ${people}` : ''}; ${describeOutcome(call)}`;
}

function table(caption: string, rows: [string, string, string][]): Node {
  const cells = rows.map(([label, left, right]): Text[] => [label, left, right, left === right ? 'same' : { strong: 'differs' }]);
  return { is: 'table', caption, head: ['what', 'first', 'second', 'same or not'], rows: cells };
}
