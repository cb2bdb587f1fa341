/** Shows a turn's timeline as a picture, and as a table with the same content. */
import type { CallCase, TurnCase } from '../case-file';
import type { Node, Text } from './doc';
import type { TextLimits } from './text-limits';
import { rowsOf, type Row } from './spans';
import { svg } from './svg';
import { count, duration, when } from './format-values';

const MOST_ROWS = 300;

export function timeline(turn: TurnCase, limits: TextLimits, idOf: (call: CallCase) => string): Node[] {
  const all = rowsOf(turn, idOf);
  const rows = all.slice(0, MOST_ROWS);
  if (rows.length === 0)
    return [{ is: 'paragraph', text: 'The bundle has no history of this turn: nothing is known of its times.' }];
  const moreRows = all.length - rows.length;
  const label = `Timeline of turn ${turn.turnId.slice(0, 128)}`;
  return [
    { is: 'picture', svg: svg(rows, limits.id(), label), label },
    {
      is: 'paragraph',
      text: 'Widths grow with the logarithm of the time; times count from the first event. Hatched: waits for a person. Thin: admission. Thin and grey: failed attempts. ✓ approved, ✗ denied, ✎ changed, … nobody decided in time, ● applied, ○ not applied or refused, ? in doubt, ! failed, ✉ message, ↺ reset, ⚖ settled.',
    },
    ...(moreRows > 0 ? [{ is: 'paragraph' as const, text: `${count(moreRows, 'more row')} in the bundle.` }] : []),
    { is: 'fold', id: limits.id(), title: 'The timeline as a table', open: false, body: [table(rows)] },
  ];
}

function table(rows: readonly Row[]): Node {
  const entries = rows
    .flatMap(({ label, bars, marks }) => [
      ...bars.map(({ from, says, takenBack }) => ({
        at: from,
        label,
        says: takenBack ? `${says} (taken back by a reset)` : says,
      })),
      ...marks.map(({ at, says }) => ({ at, label, says })),
    ])
    .sort((a, b) => a.at - b.at);
  const first = entries[0]?.at ?? 0;
  const cells = entries.map(({ at, label, says }): Text[] => [
    when(new Date(at).toISOString()),
    `+${duration(at - first)}`,
    label,
    says,
  ]);
  return {
    is: 'table',
    caption: 'What happened when',
    head: ['time', 'since the beginning', 'what', 'what happened'],
    rows: cells,
  };
}
