/**
 * The turns of a turn's sub-agents: their open questions, views, and forwarding of decisions, as plain data for the next run. A
 * child only signals that something changed, and is then queried. So nobody else can answer in its place.
 */
import { ActivityFailure, workflowInfo } from '@temporalio/workflow';
import type { TurnContext } from '../../shared/io/activities';
import type { DecisionSource } from '../../shared/approval/approval';
import type { DecisionFields, DecisionKind } from '../../shared/approval/decision';
import type { JsonObject } from '../../shared/json/json';
import type { SubTurnReport, SurfacedQuestion } from '../../shared/turn/sub-turn';
import type { SubTurnView, SurfacedCall } from '../../shared/turn/turn-view';
import { forwardDecision } from '../activities';
import { QUESTION_OF } from '../approvals/decision-rules';
import type { Question } from '../approvals/question';
import type { TurnData, SubTurn } from '../turn/state';
import { fitShownBelow } from '../turn/state-limits';
import type { InFlight } from '../sandbox/signals';
import { MANY_EVENTS } from '../turn/state-limits';
import { optional } from '../../shared/json/optional';
/** Most decisions forwarded at the same time; Temporal allows ten updates in progress per workflow. */
const MOST_FORWARDS = 8;

/** Questions that wait for a person in sub-agents' turns. */
export function surfacedQuestions({ subs = [] }: TurnData): SurfacedQuestion[] {
  return subs.filter(({ reserved }) => reserved !== null).flatMap(({ report }) => report?.waiting ?? []);
}

/** As many waiting calls as a query answer can hold; the view's `pending` has the digests of all. */
export function subTurnViews({ subs = [] }: TurnData): SubTurnView[] {
  const running = subs.filter(({ reserved }) => reserved !== null).length;
  return subs.map(({ call_id, turn_id, workflow_id, agent, report, reserved }) => ({
    call_id,
    turn_id,
    workflow_id,
    agent,
    state: report?.state ?? 'running',
    head: report?.head ?? null,
    usage: report?.spent.usage ?? { input_tokens: 0, output_tokens: 0, cache_read_tokens: 0, cost_usd: 0 },
    waiting: reserved === null ? [] : fitShownBelow((report?.waiting ?? []).map(shownAbove), running),
  }));
}

function shownAbove({ kind: _, card: __, run_id: ___, ...call }: SurfacedQuestion): SurfacedCall {
  return call;
}

/** Questions that the child's previous report did not have. */
export function newQuestions(before: SubTurnReport | null, after: SubTurnReport): SurfacedQuestion[] {
  const earlier = new Set((before?.waiting ?? []).map(keyOf));
  return after.waiting.filter((question) => !earlier.has(keyOf(question)));
}

function keyOf({ kind, run_id, call }: SurfacedQuestion): string {
  return `${kind} ${run_id} ${call.digest}`;
}

/** Without the cards: the next run queries the child again. Waiting calls can be decided meanwhile. */
export function withoutCards(subs: SubTurn[]): SubTurn[] {
  return subs.map((sub) => ({
    ...sub,
    report: sub.report && { ...sub.report, waiting: sub.report.waiting.map((question) => ({ ...question, card: '' })) },
    news: sub.reserved !== null,
  }));
}

/** Takes a child's signal. Returns why it is ignored, or null. Many of them cost no more than one. */
export function noteChildSignal({ subs = [] }: TurnData, body: JsonObject): string | null {
  const sub = subs.find(({ turn_id, reserved }) => turn_id === body.turn_id && reserved !== null);
  if (!sub) return 'no sub-agent runs in such a turn';
  if (workflowInfo().historyLength >= MANY_EVENTS) return 'the run is full; it is looked at in the next';
  sub.news = true;
  return null;
}

/** Forwards decisions on a child's questions to the child. */
export class Forwarding {
  private underWay = 0;

  constructor(
    private readonly turn: TurnContext,
    private readonly data: TurnData,
    private readonly inFlight: InFlight,
  ) {}

  /**
   * @param own the questions of this turn itself
   * @returns undefined: it names no question of a child; else why it was ignored, or null if the child accepted it
   */
  take(
    kind: DecisionKind,
    fields: DecisionFields,
    from: DecisionSource,
    own: Question[],
  ): undefined | string | Promise<string | null> {
    const questionKind = QUESTION_OF[kind];
    const matches = fields.calls.map((call) => this.find(questionKind, call));
    if (matches.every((subs) => subs.length === 0)) return undefined;
    const several = fields.calls.find(
      (call, index) => matches[index]!.length + own.filter(({ digest }) => digest.startsWith(call)).length > 1,
    );
    if (several !== undefined) return `"call" ${several} fits several waiting calls; give more of the digest`;
    const owners = new Set(matches.map(([sub]) => sub?.workflow_id));
    if (owners.size > 1) return 'calls of several turns are decided one turn at a time';
    if (this.underWay >= MOST_FORWARDS || workflowInfo().historyLength >= MANY_EVENTS)
      return 'too many decisions are being passed on; send it again in a moment';
    return this.pass(matches[0]![0]!, bodyOf(kind, fields), from.identity);
  }

  private find(questionKind: SurfacedQuestion['kind'], call: string): SubTurn[] {
    return (this.data.subs ?? []).flatMap((sub) =>
      (sub.reserved === null ? [] : (sub.report?.waiting ?? []))
        .filter((question) => question.kind === questionKind && question.call.digest?.startsWith(call))
        .map(() => sub),
    );
  }

  private async pass(sub: SubTurn, body: JsonObject, identity: string): Promise<string | null> {
    this.underWay += 1;
    try {
      const { turn } = this;
      const answer = await this.inFlight.during(() => forwardDecision({ turn, workflow_id: sub.workflow_id, body, identity }));
      return answer.accepted ? null : (answer.reason ?? 'it was not accepted');
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      return `the sub-agent's turn did not answer: ${(error.cause?.message ?? error.message).slice(0, 300)}`;
    } finally {
      this.underWay -= 1;
    }
  }
}

/** The decision in the form of an update's body. */
function bodyOf(
  decision: DecisionKind,
  { calls, by, on_behalf_of, note, input, outcome, attestations, value }: DecisionFields,
): JsonObject {
  return {
    decision,
    ...(decision === 'answer' ? { call: calls[0]! } : { calls }),
    ...(by === '' ? {} : { by }),
    ...optional({ on_behalf_of, note: note ?? undefined, input: input ?? undefined, outcome: outcome ?? undefined, value }),
    ...(attestations.length === 0 ? {} : { attestation: attestations }),
  };
}
