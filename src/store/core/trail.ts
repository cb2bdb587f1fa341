/**
 * The trail: every decision and every destructive call, over all turns, every enrolment of a passkey, every
 * deputy, and every use of the stop switch. The blocks of the transcripts are authoritative. The trail is an index of them, and each entry follows from one block alone, so a reader can check whether the block still says the same.
 */
import { searchable } from '../../shared/text/visible';
import { samePerson } from '../../shared/approval/approval';
import { asTurnId, idsFromKey } from '../../shared/ids';
import { readBlock, type ReadSubject } from '../../record/read-block';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import type { BlockKind } from '../../shared/turn/transcript';
import type { StoredBlock } from './seal';
import { isHash } from '../../shared/json/sha256';

/** In this order in the trail: a new one goes to the end. */
export const TRAIL_KINDS = [
  ...(['admission', 'decision', 'dispatch', 'effect', 'settlement', 'enrolment', 'deputy', 'stop'] as const),
] as const satisfies BlockKind[];

/** For an admission: rejected, asked, allowed. For a decision: approved, answered, denied, expired, edited. */
export const TRAIL_STATES = [
  ...(['rejected', 'asked', 'allowed', 'approved', 'answered', 'denied', 'expired', 'edited'] as const),
  ...(['dispatched', 'applied', 'not_applied', 'refused', 'in_doubt', 'enrolled', 'deputy_named', 'deputy_ended'] as const),
  ...(['frozen', 'unfrozen', 'approvals_withdrawn'] as const),
] as const;
export type TrailState = (typeof TRAIL_STATES)[number];

export interface TrailEntry {
  v: 'holdfast.trail/1';
  /** Workflow time, ISO 8601: of the decision or settlement; for other entries, when a worker was asked for it. */
  at: string;
  kind: (typeof TRAIL_KINDS)[number];
  state: TrailState;
  turn_id: string;
  workflow_id: string;
  agent: string;
  requester: string;
  /** `<step>.<index>`. */
  call_id: string;
  /** An edit, or a call that has to wait again, begins another revision. */
  revision: number;
  tool: string;
  version: string;
  class: string;
  /** The call's digest; null for an admission, which comes before it. For an enrolment: the hash of the passkey's key; for a deputy: that of the signed statement. */
  digest: string | null;
  /** The person who decided or settled, or the `kid` of the key that enrolled; empty: no person did. */
  by: string;
  /** The entry's block, 64 hex. */
  block: string;
}

export interface TrailQuery {
  tool?: string;
  /** The person who decided or settled; names are compared without regard to case and spaces. */
  by?: string;
  requester?: string;
  state?: TrailState;
  turn?: string;
  /** The id of the turn's workflow. A database is searched by `turn`: give that too. */
  workflow?: string;
  /** The id of a turn or direct call, or the idempotency key under which its requester started it. */
  named?: string;
  /** Not before, ISO 8601. */
  from?: string;
  /** Before, ISO 8601. */
  to?: string;
  /** `next_cursor` of the page before. */
  cursor?: string;
  /** From 1 to 1000. Default 100. */
  limit?: number;
}

export interface TrailPage {
  /** By time, oldest first; `verified`: the entry's block exists and says the same. */
  entries: (TrailEntry & { verified: boolean })[];
  /** Entries that could not be read; they hide no others. */
  damaged: { file: string; reason: string }[];
  /** Null: this is the last page. */
  next_cursor: string | null;
}

/** A query that cannot be answered; the message says what is allowed. */
export class TrailQueryError extends Error {
  override readonly name = 'TrailQueryError';
}

/** The trail entries of a block: none for most blocks, and for blocks from before the trail existed. */
export function entriesOf(storedBlock: StoredBlock): TrailEntry[] {
  const { kind, at } = storedBlock.block;
  const read = readBlock(storedBlock);
  if (read === null || !('subject' in read) || read.subject === null) return [];
  const { subject } = read;
  const entry = (facts: JsonObject): TrailEntry[] => {
    const fields = {
      v: 'holdfast.trail/1',
      at,
      kind,
      digest: null,
      by: '',
      ...fieldsOf(subject),
      ...facts,
      block: storedBlock.hash,
    };
    const trailEntry = { ...fields, at: withMs(String(fields.at)) };
    return isEntry(trailEntry) ? [trailEntry] : [];
  };
  switch (read.kind) {
    case 'admission':
      return read.calls.flatMap(({ call_id, tool, version, class: toolClass, verdict }) => {
        if (toolClass !== 'destructive') return [];
        const state = getOwn({ rejected: 'rejected', ask: 'asked', allow: 'allowed' }, verdict ?? '') ?? '';
        const call = { call_id: call_id ?? '', tool: tool ?? '', version: version ?? '' };
        return entry({ ...call, revision: 1, class: 'destructive', state });
      });
    case 'decision': {
      const states = { approve: 'approved', answer: 'answered', deny: 'denied', expired: 'expired', edit: 'edited' };
      const state = getOwn(states, read.decision ?? '') ?? '';
      return entry({ digest: read.digest, state, by: read.by ?? '', at: read.at ?? at });
    }
    case 'dispatch':
      return entry({ digest: read.digest, state: 'dispatched' });
    case 'enrolment':
      return entry({ digest: read.digest, state: 'enrolled', by: read.by ?? '' });
    case 'deputy':
      return entry({ digest: read.digest, state: read.ended ? 'deputy_ended' : 'deputy_named', by: read.by ?? '' });
    case 'stop':
      return entry({ state: read.act ?? '', by: read.by ?? '' });
    case 'effect':
      return entry({ digest: read.digest, state: read.effect ?? '' });
    case 'settlement':
      return (read.settlements ?? [read]).flatMap(({ outcome, by, at: when }) =>
        entry({ digest: read.digest, state: outcome ?? '', by: by ?? '', at: when ?? at }),
      );
  }
}

const SUBJECT = ['turn_id', 'workflow_id', 'agent', 'requester', 'call_id', 'revision', 'tool', 'version', 'class'] as const;
const FIELDS = ['v', 'at', 'kind', 'state', ...SUBJECT, 'digest', 'by', 'block'] as const;
const CALL_ID = /^[1-9]\d{0,5}\.[1-9]\d{0,5}$/;

function fieldsOf(subject: ReadSubject): JsonObject {
  return Object.fromEntries(SUBJECT.map((name) => [name, subject[name] ?? '']));
}

/** True for exactly the fields of an entry, each of them valid. */
export function isEntry(value: Json): value is JsonObject & TrailEntry {
  if (!isJsonObject(value) || Object.keys(value).length !== FIELDS.length) return false;
  const { at, revision, digest, call_id, block, ...rest } = value;
  const texts = FIELDS.filter((name) => name in rest);
  return (
    texts.length === FIELDS.length - 5 &&
    texts.every((name) => typeof rest[name] === 'string') &&
    rest.v === 'holdfast.trail/1' &&
    (TRAIL_KINDS as readonly unknown[]).includes(rest.kind) &&
    (TRAIL_STATES as readonly unknown[]).includes(rest.state) &&
    typeof at === 'string' &&
    isTime(at) &&
    Number.isSafeInteger(revision) &&
    (revision as number) >= 1 &&
    (revision as number) <= MOST_REVISIONS &&
    (digest === null || isHash(digest)) &&
    typeof call_id === 'string' &&
    CALL_ID.test(call_id) &&
    isHash(block)
  );
}

const MOST_REVISIONS = 999_999;

/** One form for all times, so that they sort as text. */
function withMs(time: string): string {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? time : new Date(ms).toISOString();
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** A query that has been checked. */
export interface CheckedTrailQuery {
  /** Full ISO 8601 times. */
  from: string;
  to: string;
  cursor: string | null;
  limit: number;
  /** The original query, for sources that can filter by it. */
  query: TrailQuery;
  fits(entry: TrailEntry): boolean;
}

const FIRST_TIME = '0000-01-01T00:00:00.000Z';
const NEVER = '9999-12-31T23:59:59.999Z';
const DEFAULT_LIMIT = 100;
const MOST = 1000;

/** @throws TrailQueryError, UnsearchableText */
export function checkTrailQuery(query: TrailQuery): CheckedTrailQuery {
  const { tool, by, requester, state, turn, workflow, named, from, to, cursor, limit = DEFAULT_LIMIT } = query;
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST)
    throw new TrailQueryError(`limit is ${limit}; it must be a whole number from 1 to ${MOST}.`);
  if (state !== undefined && !TRAIL_STATES.includes(state))
    throw new TrailQueryError(`There is no state ${JSON.stringify(state)} in the trail; states: ${TRAIL_STATES.join(', ')}.`);
  for (const text of [tool, by, requester, turn, workflow, named]) if (text !== undefined) searchable(text);
  const isNamed = named === undefined ? () => true : namedSo(named);
  return {
    from: timeOf('from', from, FIRST_TIME),
    to: timeOf('to', to, NEVER),
    cursor: cursor ?? null,
    limit,
    query,
    fits: (entry) =>
      (tool === undefined || entry.tool === tool) &&
      (by === undefined || (entry.by !== '' && samePerson(entry.by, by))) &&
      (requester === undefined || samePerson(entry.requester, requester)) &&
      (state === undefined || entry.state === state) &&
      (turn === undefined || entry.turn_id === turn) &&
      (workflow === undefined || entry.workflow_id === workflow) &&
      isNamed(entry),
  };
}

/** The id that a key stands for depends on the requester. */
function namedSo(key: string): (entry: TrailEntry) => boolean {
  const id = asTurnId(key);
  const byRequester = new Map<string, string[]>();
  return ({ turn_id, requester }) => {
    if (!byRequester.has(requester)) byRequester.set(requester, idsFromKey(requester, key));
    return turn_id === id || byRequester.get(requester)!.includes(turn_id);
  };
}

const ISO = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(?:Z|[+-]\d\d:\d\d))?$/;

function timeOf(name: string, text: string | undefined, otherwise: string): string {
  if (text === undefined) return otherwise;
  const time = ISO.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(time))
    throw new TrailQueryError(
      `${name} is ${JSON.stringify(text.slice(0, 60))}; it must be a day, 2026-01-31, or a time with its zone, 2026-01-31T09:00:00Z.`,
    );
  return new Date(time).toISOString();
}
