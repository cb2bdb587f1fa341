/**
 * Checks what a worker answers about a turn. Anybody who reaches Temporal can start a workflow that is called a turn, and answer for it:
 * such an answer must not end what shows all turns. What lists, cards and people's terminals use of an answer has its type here; the
 * other fields are not checked, beyond their depth. Fields that workers of older builds leave out may be missing, and names that this
 * build does not know are no fault: a newer worker may answer.
 */
import { isJsonObject, MAX_JSON_DEPTH } from '../../shared/json/json';
import type { ApprovalView, CallView, DecisionView, SurfacedCall, TurnView } from '../../shared/turn/turn-view';
import type { CallError } from '../../shared/wire/errors';
import type { CardState } from '../../shapes/card';
import type { WaitingCall } from '../../shapes/turn-view';
import type { CardPage } from '../../workflows/contract';
import { UnreadableAnswer } from '../errors';

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const flag: Check = (value) => typeof value === 'boolean';
const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const fields =
  <T>(checks: { [K in keyof T]-?: Check }): Check =>
  (value) =>
    isJsonObject(value) && Object.entries<Check>(checks).every(([name, check]) => check(value[name]));

/** Fields that may be missing. */
function orMissing<C extends Record<string, Check>>(checks: C): C {
  const all = Object.entries(checks).map(([name, check]): [string, Check] => [
    name,
    (value) => value === undefined || check(value),
  ]);
  return Object.fromEntries(all) as C;
}

const entry = fields<NonNullable<ApprovalView['entry']>>({ index: orNull(number), when: orNull(text), result: text });

const approval = fields<ApprovalView>({
  by: listOf(text),
  ...orMissing({
    required: flag,
    decision: orNull(text),
    note: orNull(text),
    expires_at: orNull(text),
    quorum: number,
    channel: text,
    decisions: listOf(
      fields<DecisionView>({
        ...{ decision: text, by: text, at: text, note: orNull(text) },
        ...orMissing({ on_behalf_of: text, channel: text, identity: text, attested: flag }),
      }),
    ),
    entry,
  }),
});

const error = fields<Pick<CallError, 'code' | 'message'>>({ message: text, ...orMissing({ code: text }) });

/** Only the client says of which other turn a call is. */
const call = fields<CallView & Pick<WaitingCall, 'of'>>({
  of: (value) => value === undefined,
  ...{ id: text, tool: text, state: text, digest: orNull(text), approval },
  ...orMissing({ revision: number, version: text, class: text, idempotency_key: orNull(text), effect: orNull(text) }),
  ...orMissing({
    pending_until: text,
    attempts: number,
    error: orNull(error),
    result_summary: orNull(text),
    result_ref: orNull(text),
  }),
});

const surfacedCall = fields<SurfacedCall>({
  ...{ turn_id: text, agent: text, call },
  ...orMissing({ workflow_id: text, first_execution_run_id: text, store_id: text, head: orNull(text) }),
});

const view = fields<Pick<TurnView, 'state' | 'calls' | 'pending' | 'run_id' | 'agent' | 'requester' | 'head' | 'sub_turns'>>({
  ...{ state: text, calls: listOf(call), pending: listOf(text) },
  ...orMissing({ run_id: text, agent: text, requester: text, head: orNull(text) }),
  ...orMissing({ sub_turns: listOf(fields<{ waiting: unknown }>({ waiting: listOf(surfacedCall) })) }),
});

const state = fields<CardState>({
  ...{ reason: text, untrusted: flag, asked_at: orNull(text), remarks: listOf(text) },
  changes: listOf(fields<CardState['changes'][number]>({ by: text, why: text })),
  ...orMissing({ evidence: text }),
  policy: fields<CardState['policy']>({
    ...{ channel: text, quorum: number, roles: listOf(text), four_eyes: flag },
    ...orMissing({ entry, escalations: listOf(fields<{ at: string; roles: string[] }>({ at: text, roles: listOf(text) })) }),
  }),
});

const cardPage = fields<CardPage>({
  cards: listOf(fields<CardPage['cards'][number]>({ digest: text, card: text, ...orMissing({ state }) })),
  read: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
});

/** A value in an answer may be as deep as a value of the store, and an answer has a few levels around it. */
const DEEPEST = MAX_JSON_DEPTH + 20;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((part) => isDeeper(part, levels - 1));
}

/** @throws UnreadableAnswer */
export function readView(answer: TurnView): TurnView {
  return readable(answer, view);
}

/** @throws UnreadableAnswer */
export function readCardPage(answer: CardPage): CardPage {
  return readable(answer, cardPage);
}

function readable<T>(answer: T, check: Check): T {
  if (!check(answer) || isDeeper(answer, DEEPEST)) throw new UnreadableAnswer();
  return answer;
}
