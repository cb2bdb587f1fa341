/** Parts of one turn in the lines of another, in a bundle of a session, under the stolen key: no rule of their own turn would check them. With those of forgeries.ts. */
import type { OpenLine } from './forge';
import { another } from './another';
import { result, type Find, type Plan } from './open-lines';

/** The second turn of this sample pays. */
const OF = 'session';
/** In the lines of the second turn. */
const second = (lines: OpenLine[], is: Find): OpenLine =>
  lines.slice(lines.findIndex(({ kind }) => kind === 'turn_end')).find(is)!;
const firstBodyOf = (lines: OpenLine[], of: string): Find => {
  const { body } = second(lines, ({ kind, body }) => kind === 'block' && body.block.kind === of);
  return (line) => line.kind === 'part' && line.body.ref === body.block.parts[0];
};
const named =
  (ref: string): Find =>
  (line) =>
    line.kind === 'part' && line.body.ref === ref;

/** Puts a part, with another value of this field, where the first turn ends. */
function moved(lines: OpenLine[], is: Find, field: string | null): void {
  const line = second(lines, is);
  const { body } = line.body.part;
  if (field !== null) body[field] = another(body[field]);
  lines.splice(lines.indexOf(line), 1);
  lines.splice(
    lines.findIndex(({ kind }) => kind === 'turn_end'),
    0,
    line,
  );
}

/** Marks the second turn as not ended. */
function isOpen(lines: OpenLine[]): void {
  const [, end] = lines.filter(({ kind }) => kind === 'turn_end');
  Object.assign(end!.body, { complete: false, why: 'It runs.' });
  lines.at(-1)!.body.complete = false;
}

/** The end of the turn that is open at this line. */
const endOfSecond: Plan['at'] = (line, _, lines) => line === lines.filter(({ kind }) => kind === 'turn_end')[1];
const blockOfSecond =
  (kind: string): Plan['at'] =>
  (line, _, lines) =>
    line === second(lines, (one) => one.kind === 'block' && one.body.block.kind === kind);

const OF_BLOCKS: Plan[] = (
  [
    ['decision', 'by'],
    ['decision', 'note'],
    ['effect', 'effect'],
    ['end', 'state'],
    ['message', 'role'],
    ['admission', 'stop_reason'],
  ] as const
).map(([kind, field]) => ({
  name: `another ${field} in a block of kind ${kind} whose part stands in the turn before`,
  of: OF,
  edit: (lines) => moved(lines, firstBodyOf(lines, kind), field),
  at: blockOfSecond(kind),
  rule: 'D7',
  says: /has a part that stands in the lines of another turn/,
}));

const OF_STARTS: Plan[] = ['requester', 'agent', 'trace_id'].map((field) => ({
  name: `another ${field} in the start of a turn, which stands in the turn before`,
  of: OF,
  edit: (lines) => {
    const start = lines.filter(({ kind, body }) => kind === 'block' && body.block.kind === 'start').at(-1)!;
    moved(lines, named(start.body.block.parts[0]), field);
  },
  at: (line, _, lines) => line === lines.findLast(({ kind }) => kind === 'turn_end'),
  rule: 'D7',
  says: /written a block that is not of the transcript of its turn/,
}));

const OF_NAMED: Plan[] = (
  [
    ['card', 'admitCall', 'card_ref', 'card'],
    ['result', 'runCall', 'result_ref', 'summary'],
  ] as const
).map(([what, activity, ref, field]) => ({
  name: `another ${what}, which stands in the turn before`,
  of: OF,
  edit: (lines) => moved(lines, named(result(lines, activity)[ref]), field),
  at: endOfSecond,
  rule: 'T4',
  says: /refers to is missing/,
}));

/** Of a turn that has not ended, only the parts that activities have named are required. */
const OF_OPEN: Plan[] = (
  [
    ['card', 'card_ref', 'card'],
    ['preview', 'preview_ref', null],
  ] as const
).map(([what, ref, field]): Plan => ({
  name: `the ${what} that people were asked with in a turn that has not ended stands in the turn before`,
  of: OF,
  edit: (lines) => {
    isOpen(lines);
    moved(lines, named(result(lines, 'admitCall')[ref]), field);
  },
  at: endOfSecond,
  rule: 'D7',
  says: /stands in the lines of another turn/,
}));

export const PART_PLANS: readonly Plan[] = [...OF_BLOCKS, ...OF_STARTS, ...OF_NAMED, ...OF_OPEN];
