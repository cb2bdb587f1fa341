/** Shows a running turn to the outside: the view, the search attributes, the cards in the Web UI. */
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { cutBytes } from '../../shared/text/utf8';
import { inlineCode } from '../../shared/text/visible';
import type { TurnInput } from '../../shared/io/activities';
import type { SubTurnStart, SurfacedQuestion } from '../../shared/turn/sub-turn';
import type { TurnState, TurnView } from '../../shared/turn/turn-view';
import { keyword, KEYWORD_BYTES, SEARCH_ATTRIBUTES } from '../../shared/search-attributes';
import type { Dispatch } from '../call/dispatch-types';
import { showDecisions, viewOf } from '../call/call-log';
import type { ApprovalQuestions } from '../approvals/approval-questions';
import type { Question, ShownQuestion } from '../approvals/question';
import { usageSoFar, type TurnData } from './state';
import { fitCalls } from './state-limits';
import { actOf, callOrigin } from '../../cards/card';
import { subTurnViews, surfacedQuestions } from '../sub-agents/sub-turns';
import { optional } from '../../shared/json/optional';

type TurnQuestions = Pick<Dispatch, 'questions' | 'arrivals'>;

export function turnView(input: TurnInput, data: TurnData, turnQuestions: TurnQuestions): TurnView {
  const info = workflowInfo();
  return {
    turn_id: input.turn_id,
    workflow_id: info.workflowId,
    run_id: info.runId,
    agent: input.agent,
    session_id: input.session_id,
    requester: input.requester,
    trace_id: input.trace_id,
    state: data.state,
    ...optional({ store_id: data.store_id }),
    head: data.head,
    step: data.step,
    text: data.text,
    ...optional({ result: data.result }),
    reason: data.reason,
    usage: usageSoFar(data),
    calls: data.calls,
    ...(data.earlier_calls ? { earlier_calls: data.earlier_calls } : {}),
    ...(data.fallbacks ? { fallbacks: data.fallbacks } : {}),
    pending: [...waitingHere(data, turnQuestions), ...surfacedQuestions(data).flatMap(({ call }) => call.digest ?? [])],
    ignored_signals: data.ignored,
    ...(data.steered?.by.length ? { steered_by: data.steered.by } : {}),
    ...(data.subs?.length ? { sub_turns: subTurnViews(data) } : {}),
    ...(input.parent ? { parent: parentView(input.parent) } : {}),
    ...(data.context_full ? { context_full: true } : {}),
    ...optional({ sleep: sleepOf(data) }),
    started_at: data.started_at,
    ended_at: data.ended_at,
    ui_url: null,
  };
}

/** Until this run has taken over the previous run's questions: those questions, in the order in which they are asked again. */
function waitingHere({ open }: TurnData, { questions, arrivals }: TurnQuestions): string[] {
  if (!arrivals.takesUp) return questions.open().map(({ digest }) => digest);
  const { calls = [], progress = {} } = open ?? {};
  return calls.flatMap(({ id }) => {
    const entry = progress[id];
    return entry && 'question' in entry ? [entry.question.digest] : [];
  });
}

function parentView({ turn_id, workflow_id, call_id }: SubTurnStart): NonNullable<TurnView['parent']> {
  return { turn_id, workflow_id, call_id };
}

/** The wait of the open step that lasts longest. */
function sleepOf({ open }: TurnData): TurnView['sleep'] {
  const waits = Object.entries(open?.progress ?? {}).flatMap(([call_id, entry]) =>
    entry.at === 'sleep' && entry.woke_by === null ? [{ call_id, ...entry }] : [],
  );
  const [longest] = waits.sort((a, b) => b.until - a.until);
  if (longest === undefined) return undefined;
  const { reason } = longest.args.input ?? {};
  const until = new Date(longest.until).toISOString();
  return { call_id: longest.call_id, until, reason: typeof reason === 'string' ? reason : '' };
}

/** The card, with decisions and remarks since it was made; that of a call in doubt also with what the call would do. */
export function cardNow(question: ShownQuestion): string {
  const { card, remarks, approved = '' } = question;
  const act = actOf(approved);
  const lines = [...progressLines(question), ...remarks.map((text) => `- ignored: ${inlineCode(text)}`)];
  return [card, ...(act === '' ? [] : [`${act}\n`]), ...(lines.length === 0 ? [] : [`### So far\n\n${lines.join('\n')}\n`])].join(
    '\n',
  );
}

/** Who has decided so far; people who settle may disagree. */
function progressLines(question: Question): string[] {
  const line = (what: string, people: { by: string }[]) =>
    people.length === 0
      ? []
      : [`- ${people.length} of ${question.policy.quorum} ${what}: ${people.map(({ by }) => inlineCode(by)).join(', ')}`];
  if (question.kind === 'question') return [];
  if (question.kind === 'approval') return line('decided', question.approvals);
  const outcomes = ['applied', 'not_applied'] as const;
  return outcomes.flatMap((outcome) =>
    line(
      `say ${outcome}`,
      question.settlements.filter((settlement) => settlement.outcome === outcome),
    ),
  );
}

/** Updates state, search attributes and Current Details from the open questions. Writes attributes only if they changed. */
export function showState(data: TurnData, questions: ApprovalQuestions, endState: TurnState | null = null): void {
  const open = questions.open();
  for (const question of open) {
    if (question.kind !== 'approval') continue;
    const count = viewOf(data, question.call_id).approval.decisions.length;
    if (question.approvals.length !== count) showDecisions(data, question.call_id, question.approvals);
  }
  fitCalls(data);
  const below = surfacedQuestions(data);
  const kinds = [...open, ...below].map(({ kind }) => kind);
  const waits = { completion: awaitsCompletion(data), time: isAsleep(data) };
  const state = endState ?? stateFrom(kinds, waits);
  const names = [...open.map(({ tool }) => tool), ...below.map(({ call }) => call.tool)];
  const tools = [...new Set(names.map((name) => cutBytes(name, KEYWORD_BYTES)))].sort();
  if (state !== data.state || tools.join() !== questions.shownTools.join()) {
    upsertSearchAttributes([keyword('state', state), { key: SEARCH_ATTRIBUTES.tool, value: tools }]);
    questions.shownTools = tools;
  }
  data.state = state;
  setCurrentDetails(details(data, questions));
}

function isAsleep(data: TurnData): boolean {
  const isBelow = data.subs?.some(({ reserved, report }) => reserved !== null && report?.state === 'sleeping');
  return sleepOf(data) !== undefined || isBelow === true;
}

function awaitsCompletion(data: TurnData): boolean {
  const isBelow = data.subs?.some(({ reserved, report }) => reserved !== null && report?.state === 'awaiting_completion');
  return pendingCalls(data).length > 0 || isBelow === true;
}

/** Calls of the open step that end later. */
function pendingCalls({ open }: TurnData): { call_id: string; tool: string; until: string }[] {
  return Object.entries(open?.progress ?? {}).flatMap(([call_id, entry]) =>
    entry.at === 'pending' && !entry.over ? [{ call_id, tool: entry.args.tool, until: entry.later.expires_at }] : [],
  );
}

/** A call in doubt comes first, then approvals, then questions of the model, then calls that end later, then waits. */
function stateFrom(kinds: readonly Question['kind'][], waits: { completion: boolean; time: boolean }): TurnState {
  if (kinds.includes('doubt')) return 'in_doubt';
  if (kinds.includes('approval')) return 'awaiting_approval';
  if (kinds.length > 0) return 'awaiting_answer';
  if (waits.completion) return 'awaiting_completion';
  return waits.time ? 'sleeping' : 'running';
}

/** The Web UI sends the details on in a URL; from about 1 MB on that fails. They are counted as they are sent: percent-encoded. */
const DETAILS_LIMIT = 500_000;

function details(data: TurnData, questions: ApprovalQuestions): string {
  const cards = [...questions.open().map(cardNow), ...surfacedQuestions(data).map(surfacedCard)];
  if (cards.length === 0) return stateLine(data) + failedCalls(data);
  const parts: string[] = [];
  let length = 0;
  for (const card of cards) {
    length += encodeURIComponent(card.toWellFormed()).length;
    if (length > DETAILS_LIMIT) break;
    parts.push(card);
  }
  const rest = cards.length - parts.length;
  return parts.join('\n\n---\n\n') + (rest > 0 ? `\n\n---\n\n${rest} more calls wait; \`holdfast pending\` lists them.` : '');
}

function stateLine(data: TurnData): string {
  const { state, step, reason } = data;
  const sleep = sleepOf(data);
  const why = sleep === undefined ? '' : `; sleeps until ${sleep.until}: ${inlineCode(sleep.reason)}`;
  const pending = pendingCalls(data).map(
    ({ call_id, tool, until }) => `; call ${call_id} ${inlineCode(tool)} is pending until ${until}`,
  );
  return `**${state}**, step ${step}${reason ? `: ${inlineCode(reason)}` : ''}${why}${pending.join('')}`;
}

const SHOWN_FAILURES = 5;

/** The last calls that failed, each with its error. */
function failedCalls({ calls }: TurnData): string {
  const lines = calls.flatMap(({ id, tool, state, error }) =>
    error && (state === 'failed' || state === 'in_doubt')
      ? [`- call ${id} ${inlineCode(tool)} ${state}: ${inlineCode(`${error.code} ${error.reason}: ${error.message}`)}`]
      : [],
  );
  if (lines.length === 0) return '';
  const earlier = lines.length > SHOWN_FAILURES ? [`- ${lines.length - SHOWN_FAILURES} earlier ones`] : [];
  return `\n\n### Failed calls\n\n${[...earlier, ...lines.slice(-SHOWN_FAILURES)].join('\n')}\n`;
}

/** The card of a sub-agent's call, with the turn that it belongs to. It can be decided here too. */
function surfacedCard({ turn_id, agent, card, call, kind }: SurfacedQuestion): string {
  const where = callOrigin({ agent, turn_id });
  if (card !== '') return `${where}\n\n${card}`;
  const what = kind === 'doubt' ? 'In doubt' : kind === 'question' ? 'A question' : 'Waiting for approval';
  return `${where}\n\n## ${what}: ${inlineCode(call.tool)}\n\nIts card is not shown here: read it there. Its digest is ${call.digest}.\n`;
}
