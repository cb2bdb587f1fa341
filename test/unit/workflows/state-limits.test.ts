/** A turn's state with every field at its limit: it can continue in another run, and can be looked at. */
import fc from 'fast-check';
import type { AdmittedCall, CallArguments, CallOutcome, RunCallOutput } from '../../../src/shared/io/activities';
import type { ApprovalPolicy, Decision } from '../../../src/shared/approval/approval';
import { callError, type CallError } from '../../../src/shared/wire/errors';
import { cutJson, jsonBytes, type Json, type JsonObject, isPacked, packJson, unpackJson } from '../../../src/shared/json/json';
import { EMPTY_BOOK, type Book, reserve, settle, usedAmount } from '../../../src/shared/budget-book';
import { readSend } from '../../../src/shared/turn/session';
import type { Steer } from '../../../src/shared/approval/decision';
import { travelling as surfacing, type SurfacedQuestion } from '../../../src/shared/turn/sub-turn';
import type { CallView, TurnView } from '../../../src/shared/turn/turn-view';
import { type ApprovalQuestion, type DoubtQuestion, remark } from '../../../src/workflows/approvals/question';
import { newSession, sendFault, take, recordTurnEnd } from '../../../src/workflows/session/session-state';
import { type Progress, type TurnData, type SubTurn } from '../../../src/workflows/turn/state';
import { hasRoom, hasRoomToAsk, missingAnswers, type Statement } from '../../../src/workflows/approvals/room-for-decisions';
import {
  placesOf,
  putBack,
  setAside,
  callsOf,
  cutAnswer,
  cutReason,
  fitCalls,
  fitsSteering,
  fitSubs,
  MOST_FAILURES,
  SAID_ALONG,
  recordFallback,
  STATE_BYTES,
  withInputs,
  ignoreSignal,
} from '../../../src/workflows/turn/state-limits';
import { turnView } from '../../../src/workflows/turn/publish-turn-state';
import { runs } from '../../support/runs';

jest.mock('@temporalio/workflow', () => ({
  workflowInfo: () => ({ workflowId: `turn/${'t'.repeat(120)}`, runId: 'r'.repeat(36) }),
  proxyActivities: () => ({}),
  ActivityCancellationType: {},
}));

const KIB = 1024;
/** The longest texts that are read from signals: characters. */
const [NAME, NOTE, TEXT, IDENTITY, TOKEN] = [200, 4000, 4000, 200, 4087];

/** Each text is different, so that none is packed as a repetition. */
interface Source {
  hash(): string;
  text(characters: number): string;
}

function source(char: string): Source {
  let n = 0;
  return {
    hash: () => String(++n).padStart(64, 'a'),
    text: (characters) => (String(++n) + char.repeat(characters)).slice(0, characters),
  };
}

const long = ({ text }: Source): CallError => ({
  ...callError('EXECUTION_ERROR', text(300), text(2000), { hint: text(1000) }),
  details: Array.from({ length: 20 }, () => ({ path: text(100), message: text(300) })),
});

const policy: ApprovalPolicy = {
  channel: 'attested',
  quorum: 10,
  roles: ['treasurer', 'clerk'],
  four_eyes: true,
  remind_ms: [1, 2, 3, 4, 5],
  notify: true,
};

function call(id: string, s: Source, rejected: boolean): AdmittedCall {
  return {
    id,
    tool_use_id: cutJson(s.text(200), 250),
    tool: rejected ? cutJson(s.text(200), 250) : `pay_${id}`.padEnd(64, 'x'),
    version: '10.20.30',
    class: 'destructive',
    verdict: rejected ? 'rejected' : 'ask',
    reason: s.text(200),
    error: rejected ? long(s) : null,
    input_digest: s.hash(),
    input_hash: s.hash(),
    input: rejected ? null : { text: cutJson(s.text(350), 350) },
    input_ref: s.hash(),
    digest: s.hash(),
    needs_admit: true,
    parallel: false,
    idempotent: true,
    timeout_ms: 600_000,
    undecided: true,
    policy_ref: 'p'.repeat(64),
    untrusted: true,
    changes: [{ hook: '', why: s.text(100), by: s.text(NAME) }],
    validation_ms: 1000,
    approval: policy,
    reconcile_ms: 60_000,
    definition_ref: 'd'.repeat(64),
    target_hash: s.hash(),
  } satisfies Record<
    Exclude<keyof AdmittedCall, 'sub_agent' | 'question_ms' | 'longest_wait_ms' | 'gives_result'>,
    unknown
  > as AdmittedCall;
}

function view({ id, tool, version, digest }: AdmittedCall, s: Source, state: CallView['state'], decisions: Decision[]): CallView {
  return {
    id,
    revision: 1,
    tool,
    version,
    class: 'destructive',
    digest,
    state,
    idempotency_key: `hf_${s.hash().slice(24)}`,
    approval: {
      required: true,
      by: decisions.map(({ by }) => by),
      decision: null,
      note: decisions.at(-1)?.note ?? null,
      expires_at: '2026-01-01T00:00:00.000Z',
      quorum: 10,
      channel: 'attested',
      decisions: decisions.map(({ decision, by, at, note, channel, identity }) => ({
        decision,
        by,
        at,
        note,
        channel,
        identity,
        attested: true,
      })),
    },
    effect: state === 'succeeded' ? 'applied' : null,
    attempts: 3,
    error: state === 'failed' ? long(s) : null,
    result_summary: state === 'succeeded' ? s.text(2000) : null,
    result_ref: s.hash(),
  };
}

function decision(s: Source, { id, digest }: AdmittedCall, by: string, note: string | null, attestation: string): Decision {
  const at = '2026-01-01T00:00:00.000Z';
  const identity = s.text(IDENTITY);
  const where = { run_id: 'r'.repeat(36), given_in: 'g'.repeat(36), card_ref: 'c'.repeat(60) + id.padStart(4) };
  return {
    decision: 'approve',
    digest: digest!,
    by,
    note,
    at,
    expires_at: at,
    channel: 'signal',
    identity,
    attestation,
    ...where,
  };
}

function full(s: Source, calls: number, places: Progress['at'][], quorum = 3): TurnData {
  const open = Array.from({ length: calls }, (_, n) => call(`99.${n + 1}`, s, n >= 64));
  const steered = fullSteered(s);
  const outcomes: Record<string, CallOutcome> = {};
  const progress: Record<string, Progress> = {};
  const data: Required<Omit<TurnData, 'earlier_calls' | 'result'>> & Pick<TurnData, 'earlier_calls'> = {
    state: 'awaiting_approval',
    head: s.hash(),
    step: 99,
    text: cutAnswer(s.text(300_000), false),
    reason: cutReason(s.text(300_000)),
    usage: { input_tokens: 1e9, output_tokens: 1e9, cache_read_tokens: 1e9, cache_creation_tokens: 1e9, cost_usd: 1234.567891 },
    calls: [],
    ignored: { count: 0, last: [] },
    started_at: '2026-01-01T00:00:00.000Z',
    ended_at: null,
    policy: {
      policy_ref: s.hash(),
      limits: { steps: 1e6, tokens: 1e9, cost_usd: 1e6, time_ms: 1e9 },
      max_parallel: 64,
      sibling_abort: true,
      approval_expiry_ms: 1e9,
      steer_supersedes: true,
    },
    outcomes: [],
    failures: Object.fromEntries(Array.from({ length: MOST_FAILURES }, () => [s.hash(), 2])),
    worked_ms: 1e9,
    denials: { in_a_row: 20, in_all: 1000 },
    steered,
    interrupted: { by: s.text(NAME) },
    context_full: true,
    paused: true,
    open: { calls: open, outcomes, progress },
    subs: Array.from({ length: 120 }, (_, n) => sub(s, n)),
    corrections: 2,
    below: { usage: { input_tokens: 1e9, output_tokens: 1e9, cache_read_tokens: 1e9, cost_usd: 1e6 }, steps: 1e6, time_ms: 1e9 },
    share: { steps: 1e6, tokens: 1e9, cost_usd: 1e6, time_ms: 1e9 },
    store_id: '0'.repeat(32),
    fallbacks: [],
  };
  for (let n = 0; n < 12; n++) recordFallback(data, 1e6 + n, fallenBack(s));
  for (let n = 0; n < 60; n++)
    ignoreSignal(data, { at: data.started_at, signal: s.text(100), identity: s.text(200), reason: s.text(2000) });
  for (let n = 0; n < 300; n++) data.calls.push(view(call(`${n}.1`, s, false), s, n % 2 ? 'succeeded' : 'failed', []));
  for (const [n, one] of open.entries()) {
    const kept = n >= 64 ? null : begun(placeOf(places, n), one, s, steered.by, quorum);
    const asked = kept !== null && hasRoomToAsk(data, kept.args, quorum);
    if (asked) progress[one.id] = kept;
    else outcomes[one.id] = outcome(one, s);
    data.calls.push(view(one, s, asked ? 'waiting' : 'rejected', []));
  }
  for (let nth = 0; nth < quorum; nth++)
    for (const [n, one] of open.entries()) say(data, one, s, { nth, attested: n % 2 === 0, note: n % 3 > 0 });
  return data;
}

/** More than an app can define: a worker of another build might. */
function fallenBack(s: Source) {
  const passed = Array.from({ length: 9 }, () => ({ model: s.text(2000), reason: s.text(2000), attempts: 1e6 }));
  return { origin: { provider: s.text(2000), model: s.text(2000) }, passed };
}

/** The longest person that can answer: name, client and signature. */
function longest(s: Source, one: AdmittedCall): Decision {
  const given = decision(s, one, s.text(NAME), null, s.hash().repeat(64).slice(0, TOKEN));
  return { ...given, identity: s.text(IDENTITY) };
}

/** All questions are answered, each by other people, in any order. @returns those for whom there was no room */
function answerAll(data: TurnData, s: Source): string[] {
  const none: string[] = [];
  for (let again = true; again;) {
    again = false;
    for (const one of data.open!.calls) {
      const kept = data.open!.progress[one.id];
      if (kept === undefined || data.open!.outcomes[one.id]) continue;
      const given = longest(s, one);
      if (kept.at === 'question' && missingAnswers(kept.question) > 0) {
        if (!hasRoom(data, [given], 1)) none.push(one.id);
        approvalsOn(kept).push(given);
      } else if (kept.at === 'doubt' && kept.question.settlements.length < 19) {
        if (!hasRoom(data, [given], 1)) none.push(one.id);
        kept.question.settlements.push({ ...given, outcome: 'applied' });
      } else continue;
      again = true;
      shown(data, one, s, kept);
    }
  }
  return none;
}

function shown(data: TurnData, one: AdmittedCall, s: Source, kept: Progress): void {
  const last = data.calls.findLast(({ id }) => id === one.id)!;
  Object.assign(last, view(one, s, last.state, kept.at === 'question' ? approvalsOn(kept) : kept.approvals));
}

/** Destructive calls run one at a time: only one can be in doubt. */
function placeOf(places: Progress['at'][], n: number): Progress['at'] {
  const at = places[n % places.length]!;
  return n > 0 && (at === 'doubt' || at === 'probing') ? 'ready' : at;
}

/** The answers that approval questions accept: only those that fit. */
function say(data: TurnData, one: AdmittedCall, s: Source, how: { nth: number; attested: boolean; note: boolean }): void {
  const kept = data.open!.progress[one.id];
  if (kept === undefined || (kept.at === 'question' && missingAnswers(kept.question) === 0)) return;
  const token = how.attested ? s.hash().repeat(64).slice(0, TOKEN) : '';
  const given = decision(s, one, s.text(NAME), how.note ? s.text(NOTE) : null, token);
  if (!hasRoom(data, [given], kept.at === 'question' ? 1 : 0)) return;
  if (kept.at === 'question') approvalsOn(kept).push(given);
  else kept.approvals.push(given);
  shown(data, one, s, kept);
}

function fullSteered(s: Source): NonNullable<TurnData['steered']> {
  const steered: NonNullable<TurnData['steered']> = { waiting: [], by: [], signed: [] };
  const adding: (() => typeof steered)[] = [
    ...Array.from({ length: 20 }, () => () => ({ ...steered, by: [...steered.by, s.text(NAME)] })),
    ...Array.from({ length: 200 }, () => () => ({ ...steered, signed: [...steered.signed, s.hash()] })),
    ...Array.from({ length: 20 }, () => () => ({ ...steered, waiting: [...steered.waiting, steer(s)] })),
  ];
  for (const add of adding) {
    const more = add();
    if (fitsSteering(more)) Object.assign(steered, more);
  }
  return steered;
}

function steer(s: Source): Steer {
  return {
    text: s.text(TEXT),
    by: s.text(NAME),
    at: '2026-01-01T00:00:00.000Z',
    channel: 'signal',
    identity: s.text(IDENTITY),
    attestation: 'x'.repeat(4096),
  };
}

function args(one: AdmittedCall, s: Source, makers: string[]): CallArguments {
  const { input: _, ...edit } = { ...decision(s, one, s.text(NAME), null, 'x'.repeat(1200)), input: null };
  const { id, tool, version, input_hash, input, input_ref } = one;
  const hashes = { preview_ref: s.hash(), policy_ref: one.policy_ref!, digest: one.digest! };
  return {
    id,
    revision: 99,
    tool,
    version,
    class: 'destructive',
    input_hash,
    input,
    input_ref,
    ...hashes,
    dispatch: 1,
    earlier: [{ ...edit, revision: 98 }],
    makers,
  };
}

function begun(at: Progress['at'], one: AdmittedCall, s: Source, makers: string[], quorum: number): Progress {
  const common = { args: args(one, s, makers), approvals: [] };
  const asked = {
    call_id: one.id,
    digest: one.digest!,
    tool: one.tool,
    card: s.text(20_000),
    policy: { ...policy, quorum },
    run_id: 'r'.repeat(36),
    makers,
    remarks: [],
    told: true,
  };
  const result: RunCallOutput = {
    state: 'in_doubt', effect: 'in_doubt', result_ref: s.hash(), summary: s.text(2000), error: long(s), attempts: 1, took_ms: 1, head: s.hash(),
  }; // oxfmt-ignore
  switch (at) {
    case 'question': {
      const question: ApprovalQuestion = {
        ...asked,
        kind: 'approval',
        card_ref: 'c'.repeat(60) + one.id.padStart(4),
        expires_at: '2026-01-01T00:00:00.000Z',
        approvals: [],
      };
      for (let n = 0; n < 7; n++) remark(question, s.text(3000));
      return { at, args: common.args, question };
    }
    case 'doubt': {
      const question: DoubtQuestion = { ...asked, card: cutJson(s.text(30_000), 12_000), kind: 'doubt', settlements: [] };
      return { at, ...common, result, question };
    }
    case 'probing':
      return { at, ...common, result, believed: 1e12, until: 1e12 };
    case 'sub_turn':
      return { at, ...common, turn_id: s.text(120) };
    case 'ready':
      return { at, ...common };
    case 'sleep':
      return { at, ...common, since: 1e12, until: 1e12, woke_by: null };
    case 'pending': {
      const later = { token_hash: s.hash(), expires_at: '2026-01-01T00:00:00.000Z', poll_ms: 1e9 };
      return { at, ...common, later, poll: { at: 1e12, pause: 1e9 } };
    }
  }
}

function outcome(one: AdmittedCall, s: Source): CallOutcome {
  const { id, tool_use_id, tool, digest, error } = one;
  const blank = { effect: null, result_ref: s.hash(), summary: s.text(2000), attempts: 1, decision: null, note: s.text(300) };
  return { call_id: id, tool_use_id, tool, digest, state: 'rejected', error, ...blank };
}

function sub(s: Source, n: number): SubTurn {
  const usage = { input_tokens: 1e9, output_tokens: 1e9, cache_read_tokens: 1e9, cost_usd: 1e6 };
  const report = {
    first_execution_run_id: 'r'.repeat(36), agent: 'a'.repeat(64), state: 'running' as const, ended: false, head: s.hash(),
    reason: cutReason(s.text(5000)), spent: { usage, steps: 100, time_ms: 1e9 }, waiting: [],
  }; // oxfmt-ignore
  const id = s.text(120).replace(/[^0-9]/g, 'x');
  const reserved = n < 56 ? null : { steps: 1e6, tokens: 1e9, cost_usd: 1e6, time_ms: 1e9 };
  return { call_id: '9.9', turn_id: id, workflow_id: `turn/${id}`, agent: 'a'.repeat(64), reserved, report, news: true };
}

/** A sub-agent’s turn that runs, with as many questions as a turn above is told of, each with all of its approvals but one. */
function asking(s: Source, n: number, quorum: number): SubTurn {
  const running = sub(s, 99);
  const where = { turn_id: running.turn_id, workflow_id: running.workflow_id, first_execution_run_id: 'r'.repeat(36) };
  const of = { ...where, store_id: '0'.repeat(32), run_id: 'r'.repeat(36), agent: 'a'.repeat(64), head: s.hash() };
  const question = (nth: number): SurfacedQuestion => {
    const one = call(`${n}.${nth + 1}`, s, false);
    const said = Array.from({ length: quorum - 1 }, () => longest(s, one));
    return { kind: 'approval', ...of, call: view(one, s, 'waiting', said), card: s.text(2000) };
  };
  return {
    ...running,
    report: { ...running.report!, waiting: surfacing(Array.from({ length: 70 }, (_, nth) => question(nth))) },
  };
}

/** The answer of a query. */
function shownOf(data: TurnData): TurnView {
  const trace_id = 'trace_20260101_000000000000';
  const input = { turn_id: 't'.repeat(120), agent: 'a'.repeat(64), message: '', requester: '甲'.repeat(NAME), session_id: null, trace_id, parent_head: null }; // oxfmt-ignore
  const questions = Object.values(data.open?.progress ?? {}).flatMap((kept) => ('question' in kept ? [kept.question] : []));
  return turnView(input, data, { questions: { open: () => questions }, arrivals: { takesUp: false } } as never);
}

/** The state as the turn passes it on, and the part that the store then has. */
function travelling(data: TurnData): { travels: Json; said: Json } {
  fitCalls(data);
  const all = { ...data, subs: fitSubs(data.subs ?? []), ...callsOf(data) };
  const { rest, pieces } = setAside(callsOf(data));
  const apart = packJson(pieces) as unknown as Json;
  if (jsonBytes(apart) <= SAID_ALONG) return { travels: packJson(all) as unknown as Json, said: [] };
  return { travels: { ...packJson({ ...all, ...(rest as object) }), said_ref: 'a'.repeat(64) }, said: apart };
}

const chars = fc.constantFrom('x', '甲', '\u0001', '"', '\u{1F600}');
const anyPlaces = fc.array(
  fc.constantFrom<Progress['at']>('question', 'ready', 'sleep', 'pending', 'sub_turn', 'probing', 'doubt'),
  {
    minLength: 1,
    maxLength: 5,
  },
);

const WORST: [string, number, Progress['at'][], number][] = [
  ['\u0001', 80, ['question'], 1],
  ['\u0001', 64, ['doubt'], 10],
  ['\u0001', 80, ['probing', 'sub_turn', 'ready'], 3],
  ['甲', 80, ['question', 'doubt'], 10],
  ['甲', 64, ['question'], 3],
];

describe('the state of a turn', () => {
  it('has a limit for each field, 512 KB together', () => {
    const bytes = Object.values(STATE_BYTES).reduce((sum, most) => sum + most, 0);
    expect(bytes).toBeLessThanOrEqual(500 * KIB); // the rest is for the names of its fields, and the turn's own arguments
  });

  it('has at most 512 KB when it continues, with every field full, and a view of it 1 MB; all waiting questions can be answered', () => {
    fc.assert(
      fc.property(
        chars,
        fc.integer({ min: 1, max: 80 }),
        anyPlaces,
        fc.integer({ min: 1, max: 10 }),
        (char, calls, places, quorum) => {
          const s = source(char);
          const data = full(s, calls, places, quorum);
          expect(answerAll(data, source('甲'))).toEqual([]);
          expect(jsonBytes(Object.values(data.open!.progress).map(asTheNextStepIsTold))).toBeLessThanOrEqual(1.5 * KIB * KIB);
          const { travels, said } = travelling(data);
          expect(jsonBytes(travels)).toBeLessThanOrEqual(512 * KIB);
          expect(jsonBytes(said)).toBeLessThanOrEqual(1.8 * KIB * KIB);
          const { text, reason, calls: shown, ignored } = data;
          expect(jsonBytes({ text, reason, shown, ignored, by: data.steered!.by })).toBeLessThanOrEqual(KIB * KIB);
          expect((data.earlier_calls?.count ?? 0) + data.calls.length).toBe(300 + calls);
        },
      ),
      { numRuns: runs(2, WORST.length + 10), endOnFailure: true, examples: WORST.slice(0, runs(2, WORST.length)) },
    );
  });

  it.each([
    ['five sub-agents', 5, 1],
    ['five sub-agents, which have nearly all of their approvals,', 5, 10],
    ['a hundred sub-agents', 100, 1],
  ])('can be looked at while calls of %s wait: 1.9 MB at most, with the digests of all', (_what, running, quorum) => {
    const s = source('甲');
    const data = full(s, 64, ['question'], 3);
    data.subs = Array.from({ length: running }, (_, n) => asking(s, n, quorum));
    fitCalls(data);
    const shown = shownOf(data);
    expect(jsonBytes(shown)).toBeLessThanOrEqual(1.9 * KIB * KIB);
    const below = data.subs.flatMap(({ report }) => report!.waiting.map(({ call: { digest } }) => digest));
    expect(below).toHaveLength(running * 64);
    const pending = new Set(shown.pending);
    expect(below.filter((digest) => !pending.has(digest!))).toEqual([]);
    // Of each there is something to see, and of few there is all.
    const seen = shown.sub_turns!.map(({ waiting }) => waiting.length);
    expect(Math.min(...seen)).toBeGreaterThan(0);
    if (running * quorum === 5) expect(seen).toEqual(data.subs.map(() => 64));
  });

  it('can be looked at after its end, with the longest answer', () => {
    const data = full(source('甲'), 80, ['question'], 10);
    data.text = cutAnswer('甲'.repeat(900_000), true);
    data.state = 'completed';
    fitCalls(data);
    delete data.open;
    expect(jsonBytes(shownOf(data))).toBeLessThanOrEqual(1.9 * KIB * KIB);
  });

  it('forgets the oldest calls, as few as necessary', () => {
    const data = full(source('甲'), 20, ['question'], 1);
    const before = [...data.calls];
    fitCalls(data);
    const forgotten = before.filter((one) => !data.calls.includes(one));
    expect(forgotten.length).toBeGreaterThan(50);
    expect(data.earlier_calls!.count).toBe(forgotten.length);
    const open = new Set(data.open!.calls.map(({ id }) => id));
    expect(forgotten).toEqual(before.filter(({ id }) => !open.has(id)).slice(0, forgotten.length));
    // Ten more are too many: they go again.
    data.calls.unshift(...forgotten.slice(-10));
    fitCalls(data);
    expect(data.earlier_calls!.count).toBe(forgotten.length + 10);
  });

  it('is the same after packing and unpacking', () => {
    for (const quorum of [1, 10]) {
      const data = full(source('甲'), 20, ['question', 'ready', 'doubt'], quorum);
      data.open!.calls[0]!.input = { approvals: [1], by: 7, decision: { of: 3 } };
      fitCalls(data);
      const before = JSON.parse(JSON.stringify({ ...data.open, progress: undefined })) as unknown;
      const journey = travelling(data);
      const travels = JSON.parse(JSON.stringify(journey.travels)) as Json;
      if (!isPacked(travels)) throw new Error('It is not packed.');
      const said = JSON.parse(JSON.stringify(journey.said)) as Json;
      expect(isPacked(said)).toBe(travels.said_ref !== undefined);
      const after = putBack(unpackJson(travels), isPacked(said) ? (unpackJson(said) as Json[]) : []) as unknown as TurnData;
      const open = withInputs(after.open!);
      expect({ ...open, progress: undefined }).toEqual({ ...(before as object), progress: undefined });
      for (const [id, kept] of Object.entries(open.progress)) {
        const { args: given, ...rest } = data.open!.progress[id]!;
        expect(kept.args).toEqual(given.input === null || id === '99.1' ? { ...given, input: kept.args.input } : given);
        if ('approvals' in rest) expect(kept).toMatchObject({ approvals: rest.approvals });
        else expect(kept).toMatchObject({ question: { approvals: (rest as { question: ApprovalQuestion }).question.approvals } });
      }
      expect(after.calls).toEqual(JSON.parse(JSON.stringify(data.calls)));
      expect(after.steered).toEqual(data.steered);
    }
  });

  it('continues with approvals that came since the store took the rest', () => {
    const value: JsonObject = {
      calls: [{ by: ['ana'] }, { by: ['bob'], input: { by: [1] } }],
      open: { progress: { a: { approvals: [{ by: 'ana' }] } } },
    };
    const { pieces } = setAside(value);
    const later: JsonObject = { ...value, open: { progress: { a: { approvals: [{ by: 'ana' }, { by: 'bob' }] } } } };
    const { rest } = setAside(later, placesOf(pieces));
    expect(rest).toEqual({ ...later, calls: [{ by: 0 }, { by: 1, input: { by: [1] } }] });
    expect(putBack(rest, pieces)).toEqual(later);
  });

  it('has room for an edit only if the edited call can be answered too', () => {
    const s = source('甲');
    const data = full(s, 64, ['question'], 3);
    const one = data.open!.calls[0]!;
    const kept = data.open!.progress[one.id] as Progress & { at: 'question' };
    while (missingAnswers(kept.question) > 0) approvalsOn(kept).push(longest(s, one));
    const note = s.text(NOTE);
    const words: Statement = { by: 'ana', note: null, identity: '', attestation: null };
    let edits = 0;
    while (hasRoom(data, [words, { ...words, note }], -3)) {
      const before = decision(s, one, 'ana', note, '');
      kept.args.earlier = [...kept.args.earlier!, { ...before, revision: 1 }];
      expect(++edits).toBeLessThan(100);
    }
    expect(hasRoomToAsk(data, { ...kept.args, earlier: [...kept.args.earlier!, ...approvalsOn(kept)] as never }, 3)).toBe(true);
  });
});

/** Of a call that waits for approval: the states here have no questions of the model. */
function approvalsOn({ question }: Progress & { at: 'question' }): Decision[] {
  return (question as ApprovalQuestion).approvals;
}

/** Outcomes that no dispatch has recorded. */
function asTheNextStepIsTold(kept: Progress): unknown {
  return [kept.args.earlier, 'approvals' in kept ? kept.approvals : approvalsOn(kept)];
}

describe('the state of a session', () => {
  it('has at most 512 KB, with a thousand remembered messages and the greatest number of waiting ones', () => {
    for (const char of ['x', '甲', '\u0001']) {
      const { text, hash } = source(char);
      const input = { session_id: 's'.repeat(110), agent: 'tester', requester: text(NAME), title: text(200) };
      const data = { ...newSession(input, '2026-01-01T00:00:00.000Z', true), series: 'abcdef01' };
      const said = (characters: number) => ({
        message_id: text(NAME), message: text(characters), requester: input.requester, attestation: 'x'.repeat(8192), callback_ref: hash(),
      }); // oxfmt-ignore
      for (let n = 0; n < 1100; n++) {
        const { turn_id } = take(data, input.session_id, said(1), '2026-01-01T00:00:00.000Z');
        data.queue = [];
        recordTurnEnd(data, turn_id, { state: 'lost', reason: text(3_000) });
      }
      const long = said(100_000);
      const refused = readSend(long);
      expect(refused.ok).toBe(char !== '\u0001');
      for (const body of [...(refused.ok ? [long] : []), ...Array.from({ length: 40 }, () => said(4_000))])
        if (sendFault(data, input, body) === null) take(data, input.session_id, body, '2026-01-01T00:00:00.000Z');
      expect(data.queue.length).toBeGreaterThan(4);
      expect(jsonBytes({ ...input, resume: data })).toBeLessThanOrEqual(512 * KIB);
    }
  });
});

describe('the book of a budget', () => {
  it('has at most 512 KB with any reservations, and forgets no spent amount', () => {
    const amount = '9'.repeat(100);
    const cap = '1';
    const entry = (n: number) => ({ key: `hf_${String(n).padStart(40, '0')}`, dispatch: 1, window_ms: 1_000_000 + n * 7919 });
    // Nearly as full as it may be, as `reserve` and `settle` would have it.
    const until = (n: number) => 1000 + entry(n).window_ms;
    const open = Array.from({ length: 1580 }, (_, n) => {
      return { ...entry(n), amount, state: 'reserved' as const, until: until(n), over: true };
    });
    const spent = Array.from({ length: 290 }, (_, n) => ({ until: until(n), amount, calls: 1, over: 1 }));
    let book: Book = { ...EMPTY_BOOK, open, spent };
    let granted = open.length + spent.length;
    let refused = 0;
    for (let n = open.length; n < open.length + 100; n++) {
      const { window_ms, ...one } = entry(n);
      const asked = reserve(book, { ...one, amount, cap, window_ms, lasts_ms: 1000, proven: 0, accepted: true }, 0);
      if (asked.answer.granted) granted += 1;
      else refused += 1;
      book = n % 3 === 0 ? settle(asked.book, { ...one, outcome: 'applied' }, 0) : asked.book;
    }
    expect(refused).toBeGreaterThan(10);
    expect(book.spent).toHaveLength(300);
    expect(usedAmount(book, 0)).toBe(BigInt(amount) * BigInt(granted));
    expect(jsonBytes(book)).toBeLessThanOrEqual(512 * KIB);
  });
});

describe('texts that are packed once', () => {
  it('are unchanged after unpacking, with any first character', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string(), (value, text) => {
        const all = { value, again: value, marks: ['~0', '~', '~~1', `~${text}`], long: [text.repeat(9), text.repeat(9)] };
        const expected = JSON.parse(JSON.stringify(all)) as unknown;
        expect(unpackJson(JSON.parse(JSON.stringify(packJson(all))) as ReturnType<typeof packJson>)).toEqual(expected);
      }),
    );
  });
});

describe('bytes of JSON', () => {
  // Lone surrogates and pairs among them. `unit: 'binary'` of fast-check would make a table of a million characters first.
  const unit = fc.oneof(
    fc.integer({ max: 0x10ffff, min: 0 }),
    fc.integer({ max: 0x7f, min: 0 }),
    fc.integer({ max: 0xdfff, min: 0xd800 }),
  );
  const anyText = fc.array(unit, { maxLength: 60 }).map((units) => String.fromCodePoint(...units));

  it('are those of its UTF-8 form, and a shortened text has no more than permitted', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 20, max: 200 }), (text, bytes) => {
        expect(jsonBytes(text)).toBe(Buffer.byteLength(JSON.stringify(text)));
        expect(jsonBytes(cutJson(text, bytes))).toBeLessThanOrEqual(bytes);
      }),
    );
  });
});
