/** The trail as rows. Columns narrow a query; the entry's text decides whether it matches, and whether it is what was stored. */
import { plainName } from '../../shared/approval/approval';
import { canonical } from '../../shared/json/canonical';
import { asTurnId } from '../../shared/ids';
import { parseJson } from '../../shared/json/parse-json';
import { isEntry, type TrailEntry, type CheckedTrailQuery } from '../core/trail';
import { type TrailRead, type TrailSource, beginOf, isPosition, positionOf } from '../core/trail-pages';
import type { Database, Value } from './database';
import { errorMessage } from '../../shared/text/error-message';

/** Rows read at once. */
const GROUP = 500;
/** The size of an index entry is limited, and a column only has to narrow a query. */
const COLUMN_CHARACTERS = 200;

interface Row {
  position: string;
  entry: string;
}

/** The row of an entry: position, entry, turn, requester, decided_by, state. */
export function rowOf(entry: TrailEntry): string[] {
  const { turn_id, requester, by, state } = entry;
  const narrowing = [column(turn_id), column(plainName(requester)), column(plainName(by)), state];
  return [positionOf(entry), canonical({ ...entry }), ...narrowing];
}

export class PostgresTrail implements TrailSource {
  constructor(private readonly database: Database) {}

  async *entries(query: CheckedTrailQuery): AsyncGenerator<TrailRead> {
    const { where, values } = conditions(query);
    let after = query.cursor ?? '';
    for (;;) {
      const rows = await this.database.query<Row>(
        `SELECT position, entry FROM holdfast.trail WHERE position > $1 AND ${where.join(' AND ')} ORDER BY position LIMIT ${GROUP}`,
        [after, ...values],
      );
      for (const row of rows) yield read(row);
      if (rows.length < GROUP) return;
      after = rows.at(-1)!.position;
    }
  }
}

function conditions({ from, to, query }: CheckedTrailQuery): { where: string[]; values: Value[] } {
  const where = ['position >= $2', 'position < $3'];
  const values: Value[] = [beginOf(from), beginOf(to)];
  const only = (name: string, value: string) => where.push(`${name} = $${values.push(value) + 1}`);
  const { turn, named, requester, by, state } = query;
  if (turn !== undefined) only('turn', column(turn));
  // The id for a key is a hash that begins with k_; `turn` is collated as "C", so that its index serves LIKE.
  if (named !== undefined)
    where.push(`(turn = $${values.push(column(asTurnId(named))) + 1} OR turn LIKE 'k\\_%' OR turn LIKE 'call/%')`);
  if (requester !== undefined) only('requester', column(plainName(requester)));
  if (by !== undefined) only("decided_by <> '' AND decided_by", column(plainName(by)));
  if (state !== undefined) only('state', state);
  return { where, values };
}

function read({ position, entry: text }: Row): TrailRead {
  const fault = (reason: string) => ({
    position,
    damaged: { file: `trail/${position.slice(0, 200)}`, reason: reason.slice(0, 300) },
  });
  if (!isPosition(position)) return fault('its position is none of an entry');
  try {
    const entry = parseJson(text);
    if (!isEntry(entry)) return fault('it is no entry of the trail');
    return positionOf(entry) === position ? { position, entry } : fault('its position does not fit what it says');
  } catch (error) {
    return fault(errorMessage(error));
  }
}

/** PostgreSQL's text cannot hold a NUL. */
function column(text: string): string {
  return text.replaceAll('\0', '').slice(0, COLUMN_CHARACTERS);
}
