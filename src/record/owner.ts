/**
 * Whose a record of the store is. Anybody who may start workflows in Temporal can start one that names calls and blocks of others, so
 * whatever shows records for a workflow asks here whether they are those of its turn.
 */
import { cutBytes } from '../shared/text/utf8';
import { KEYWORD_BYTES } from '../shared/search-attributes';

/** The turn for which something is shown. */
export interface Owner {
  turn_id: string;
  requester: string;
  /** Temporal gives it. Without it a turn is not told from an earlier one with the same id and requester. */
  first_execution_run_id?: string;
}

/** What a call, or the start of a transcript, says of itself. */
export type OwnedRecord = { [K in keyof Owner]?: string | null };

export function isOf(owner: Owner, record: OwnedRecord): boolean {
  const { turn_id, first_execution_run_id: run } = owner;
  if (record.turn_id !== turn_id || !hasRequesterOf(owner, record)) return false;
  return run === undefined || record.first_execution_run_id === run;
}

export function hasRequesterOf({ requester }: Pick<Owner, 'requester'>, record: Pick<OwnedRecord, 'requester'>): boolean {
  return asKeyword(record.requester) === asKeyword(requester);
}

/** As Temporal has it among the attributes of a workflow. */
function asKeyword(name: string | null | undefined): string | null {
  return typeof name === 'string' ? cutBytes(name, KEYWORD_BYTES) : null;
}

/** A workflow names what belongs to another turn. */
export class OfAnotherTurn extends Error {
  override readonly name = 'OfAnotherTurn';
  constructor(what: string) {
    super(`${what} is of another turn, and is not shown.`);
  }
}
