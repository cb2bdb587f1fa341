/** Routes that read the record: the transcript of a turn, the trail over all turns, and what is left of budgets. */
import { z } from 'zod';
import { TrailQueryError, TRAIL_STATES, type TrailPage, type TrailQuery } from '../../store/core/trail';
import { positionOf } from '../../store/core/trail-pages';
import { StoreError, type Store } from '../../store/store';
import { isVisible, type Visibility } from '../../client/turns/listing';
import { transcriptPart, turnBlocks } from '../../record/read-transcript';
import { budgetEntry, trailEntry, type BudgetEntry, type TrailEntryView } from '../../shapes/records';
import { transcriptPage, type TranscriptPage } from '../../shapes/transcript';
import type { Owner } from '../../record/owner';
import { plainName } from '../../shared/approval/approval';
import { asTurnId } from '../../shared/ids';
import { canonical } from '../../shared/json/canonical';
import { asJson } from '../../shared/json/json';
import { openText, sealText } from '../../sign-in/sealing';
import type { BudgetName } from '../../workflows/contract';
import { visibleTurn } from '../auth/turn-session-access';
import { ROLES, visibilityOf, type Principal } from '../auth/principals';
import { Refusal } from '../http/errors';
import type { Route } from '../route';
import { agentName, answer, answers, jsonSchema, turnParams } from '../schemas/common';

const SEE_OTHERS = ['approver', 'auditor', 'admin'] as const;
const tags = ['records'];
const name = z.string().min(1).max(300).optional();
const time = z.string().max(40).optional();

const transcriptQuery = z.strictObject({
  cursor: z.string().max(200).optional().describe('`next_cursor` of the page before.'),
  limit: z.number().int().min(1).max(200).default(100).describe('Blocks of a page; one with long texts has fewer.'),
});
const trailQuery = z.strictObject({
  tool: name,
  by: name.describe('The person who decided or settled.'),
  requester: name,
  state: z.enum(TRAIL_STATES).optional(),
  turn: name.describe('The id of a turn or of a direct call.'),
  from: time.describe('Not before: `2026-01-31`, or `2026-01-31T09:00:00Z`.'),
  to: time.describe('Before.'),
  cursor: z.string().max(400).optional().describe('`next_cursor` of the page before, for the same filter.'),
  limit: z.number().int().min(1).max(1000).default(100),
});
const trailPage = z.object({
  entries: z.array(trailEntry).describe('The oldest first.'),
  damaged: z.number().int().describe('Entries that could not be read, of all tenants; only for principals without a tenant.'),
  next_cursor: z.string().nullable(),
});
const budgetQuery = z.strictObject({
  agent: agentName.optional(),
  budget: name,
  limit: z.number().int().min(1).max(200).default(100),
});
const budgetList = z.object({ budgets: z.array(budgetEntry) });

const BLOCK = '1f2c4e0b7a6d5c4b3a291807f6e5d4c3b2a19087f6e5d4c3b2a1908f7e6d5c4b';
const exampleEntry = {
  ...{ block: BLOCK, at: '2026-01-31T10:00:00.000Z', kind: 'message', from: 'requester', by: 'acme/rita', text: 'Pay INV-7.' },
  ...{ calls: [], results: [], files: [], other: [], cut: false },
};
const exampleTrail = {
  ...{ at: '2026-01-31T10:05:00.000Z', kind: 'decision', state: 'approved', turn_id: 'inv-7', workflow_id: 'turn/inv-7' },
  ...{ agent: 'payables', requester: 'acme/rita', call_id: '1.1', revision: 1, tool: 'pay_invoice', version: '1.0.0' },
  ...{ class: 'destructive', digest: BLOCK, by: 'acme/ana', block: BLOCK, verified: true },
};
const exampleBudget = {
  ...{ agent: 'payables', budget: 'pace', per: 'principal', of: 'acme/rita', unreachable: null },
  view: { cap: '10', window_ms: 3_600_000, used: '3', left: '7', reserved: 0, in_doubt: 0, over: 0 },
};

const schemas = {
  transcript: {
    summary: "A turn's transcript",
    description:
      'What was said and done, block by block, in words: messages with their senders, calls and results, decisions, effects. Long texts are cut; the bundle has everything, with the hashes that prove it.',
    tags,
    params: turnParams,
    querystring: jsonSchema(transcriptQuery),
    response: answers({ 200: answer('One page.', transcriptPage, { entries: [exampleEntry], next_cursor: null }) }, 404, 409),
  },
  trail: {
    summary: 'Decisions and destructive calls, over all turns',
    description: 'From the store; needs no worker. A page may hold fewer than `limit`; the last one has no `next_cursor`.',
    tags,
    querystring: jsonSchema(trailQuery),
    response: answers({ 200: answer('One page.', trailPage, { entries: [exampleTrail], damaged: 0, next_cursor: null }) }),
  },
  budgets: {
    summary: 'What is used and left of budgets',
    description:
      'Those that count something now. A principal with a tenant sees the budgets of the principals of its tenant; those of an agent, a tool or a session count what all tenants do, and only principals without a tenant see them.',
    tags,
    querystring: jsonSchema(budgetQuery),
    response: answers({ 200: answer('The budgets.', budgetList, { budgets: [exampleBudget] }) }),
  },
};

export const records: Route = (app, parts) => {
  app.get<{ Params: { id: string }; Querystring: z.infer<typeof transcriptQuery>; Reply: TranscriptPage }>(
    '/v1/turns/:id/transcript',
    { schema: schemas.transcript, config: { roles: ROLES } },
    async ({ principal, params: { id }, query: { cursor, limit } }, reply) => {
      const { owner, view } = await visibleTurn(parts, principal, id);
      const { head, from } = cursor === undefined ? { head: (await view()).head, from: 0 } : positionIn(cursor);
      const page = head === null ? EMPTY : await pageOfTranscript(parts.store, owner, { head, from, limit });
      if (page === null) throw cursor === undefined ? foreignTranscript() : badCursor();
      return reply.header('cache-control', 'no-store').send(page);
    },
  );

  app.get<{ Querystring: z.infer<typeof trailQuery>; Reply: z.infer<typeof trailPage> }>(
    '/v1/trail',
    { schema: schemas.trail, config: { roles: SEE_OTHERS } },
    async ({ principal, query: { turn, ...query } }, reply) => {
      const filter = { ...query, ...(turn === undefined ? {} : { turn: asTurnId(turn) }) };
      return reply.header('cache-control', 'no-store').send(await visibleTrail(parts.store, filter, principal));
    },
  );

  app.get<{ Querystring: z.infer<typeof budgetQuery>; Reply: z.infer<typeof budgetList> }>(
    '/v1/budgets',
    { schema: schemas.budgets, config: { roles: SEE_OTHERS } },
    async ({ principal, query }, reply) => {
      const holdfast = await parts.client();
      const budgets: BudgetEntry[] = [];
      for await (const budget of holdfast.budgets({ ...query, isWanted: (of) => seesBudget(principal, of) }))
        budgets.push(budget);
      return reply.header('cache-control', 'no-store').send({ budgets });
    },
  );
};

const EMPTY: TranscriptPage = { entries: [], next_cursor: null };

/** Null: the head is of another turn. @throws Refusal 404 for one that the store does not have */
async function pageOfTranscript(
  store: Store,
  turn: Owner,
  { head, from, limit }: { head: string; from: number; limit: number },
): Promise<TranscriptPage | null> {
  const blocks = await turnBlocks(store, turn, head).catch((error: unknown) => {
    if (!(error instanceof StoreError) || error.code !== 'not_found') throw error;
    const message = 'The transcript is not in this store, or not any more.';
    throw new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'transcript_missing', message });
  });
  if (blocks === null) return null;
  const { entries, next } = transcriptPart(blocks, from, limit);
  return { entries, next_cursor: next === null ? null : `${head}.${next}` };
}

function foreignTranscript(): Refusal {
  const message = 'The workflow of this turn names a transcript of another turn, which is not shown.';
  return new Refusal({ code: 'RESOURCE_NOT_FOUND', reason: 'foreign_transcript', message });
}

/** The head at which the pages began, and the number of the next block. Whether it is of this turn, its blocks tell. */
function positionIn(cursor: string): { head: string; from: number } {
  const [, head, from] = /^([0-9a-f]{64})\.(\d{1,6})$/.exec(cursor) ?? [];
  if (head === undefined) throw badCursor();
  return { head, from: Number(from) };
}

function badCursor(): Refusal {
  const message = 'This cursor was not given for this list.';
  const hint = 'Use next_cursor exactly as the page before gave it, with the same filter; or leave cursor out to begin anew.';
  return new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_cursor', message, hint });
}

/** Pages of the store that one answer reads at most, to find entries of one tenant. */
const MOST_PAGES = 20;

async function visibleTrail(
  store: Store,
  { limit = 100, cursor: from, ...query }: TrailQuery,
  principal: Principal,
): Promise<z.infer<typeof trailPage>> {
  const visibility = visibilityOf(principal);
  const cursors = trailCursors(store, principal, query);
  const entries: TrailEntryView[] = [];
  let [damaged, cursor, pages] = [0, from === undefined ? null : cursors.open(from), 0];
  do {
    const page: TrailPage = await queryTrail(store, { ...query, limit, ...(cursor === null ? {} : { cursor }) });
    const visible = page.entries.filter(({ requester }) => isVisible(visibility, requester));
    const fit = visible.slice(0, limit - entries.length);
    for (const { v: _, ...entry } of fit) entries.push(entry);
    damaged += page.damaged.length;
    cursor = fit.length < visible.length || entries.length === limit ? placeAfter(fit.at(-1), page) : page.next_cursor;
    pages += 1;
  } while (cursor !== null && entries.length < limit && pages < MOST_PAGES);
  return { entries, damaged: visibility === 'all' ? damaged : 0, next_cursor: cursor === null ? null : cursors.seal(cursor) };
}

/**
 * A place in the trail has the time and the turn of the entry there, which may be one of another tenant: so a cursor is sealed, for one
 * principal and one filter.
 */
function trailCursors(store: Store, { name }: Principal, filter: object) {
  const key = store.derivedKey('trail-cursors');
  const purpose = canonical(asJson({ principal: name, filter }));
  return {
    seal: (place: string): string => sealText(key, place, purpose),
    open: (cursor: string): string => {
      const place = openText(key, cursor, purpose);
      if (place === null) throw badCursor();
      return place;
    },
  };
}

function placeAfter(last: TrailPage['entries'][number] | undefined, { entries, next_cursor }: TrailPage): string | null {
  if (last === undefined) return next_cursor;
  const { verified: _, ...entry } = last;
  return last === entries.at(-1) && next_cursor === null ? null : positionOf(entry);
}

/** @throws Refusal 400 with what is allowed */
async function queryTrail(store: Store, query: TrailQuery): Promise<TrailPage> {
  try {
    return await store.trail.query(query);
  } catch (error) {
    if (!(error instanceof TrailQueryError)) throw error;
    throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_query', message: error.message });
  }
}

/** Names in budgets are written without regard to case and spaces. */
function seesBudget(principal: Principal, { per, of }: BudgetName): boolean {
  const visibility: Visibility = visibilityOf(principal);
  if (visibility === 'all') return true;
  return (
    per === 'principal' &&
    isVisible(
      'tenant' in visibility ? { tenant: plainName(visibility.tenant) } : { requester: plainName(visibility.requester) },
      of,
    )
  );
}
