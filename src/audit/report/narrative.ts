/** Describes a turn in plain sentences: the request, the actions, the approvals, what is unknown, what to look at first. */
import type { Json } from '../../shared/json/json';
import { object, text, textOrNull } from '../../record/fields';
import { hasReadOutsiders } from '../case-file/outsiders';
import type { CallCase, DecisionCase, TurnCase } from '../case-file';
import { diffFields, inputBefore } from './input-changes';
import type { Text } from './doc';
import { waitedTogetherMs } from './waits';
import { between, costText, count, duration, name, pretty, proof, quote, when } from './format-values';

export interface Narrative {
  request: Text;
  actions: Text[];
  approvals: Text[];
  unknown: Text[];
  look: Text[];
}

/** The id of a call's section. */
export type IdOf = (call: CallCase) => string;

export function narrate(turn: TurnCase, idOf: IdOf): Narrative {
  return {
    request: describeRequest(turn),
    actions: describeActions(turn, idOf),
    approvals: describeApprovals(turn, idOf),
    unknown: unknown(turn, idOf),
    look: look(turn, idOf),
  };
}

function describeRequest({ requester, agent, asked: what, startedAt, direct, startSignature }: TurnCase): Text {
  const who = `${name(requester)}${startSignature === null ? '' : ` (${START[startSignature]})`}`;
  const whom = direct ? 'called a tool directly' : `asked the agent ${name(agent)}`;
  return `${who} ${whom}, ${when(startedAt)}: ${what === null ? 'the bundle does not have the request (it was left out, or never recorded).' : quote(what, 500)}`;
}

const START = {
  holds: 'with a signed start, checked',
  'does not hold': 'with a start whose signature does not hold',
  'not checked': 'with a start that bears a signature, not checked',
} as const;

function describeActions(turn: TurnCase, idOf: IdOf): Text[] {
  const calls = current(turn);
  const effectCalls = calls.filter(mayHaveEffect);
  const took = duration(between(turn.startedAt, turn.endedAt));
  const how =
    turn.endedAt === null
      ? `Its state is ${STATES[turn.state] ?? name(turn.state)}.`
      : `It ended ${STATES[turn.state] ?? name(turn.state)} after ${took}.`;
  const work = turn.direct
    ? count(calls.length, 'call')
    : `${count(turn.steps.filter(({ takenBack }) => !takenBack).length, 'model request')} and ${count(calls.length, 'call')}, ${costText(turn.usage)}`;
  const waitMs = waitedTogetherMs(turn.calls);
  return [
    `${how} ${work}${waitMs > 0 ? `; ${duration(waitMs)} of waiting for people` : ''}.`,
    ...(turn.reason ? [`Reason: ${quote(turn.reason, 400)}`] : []),
    ...fallbacks(turn),
    ...effectCalls.map((call): Text => [link(call, idOf), ` ${describeOutcome(call)} ${what(call)}`.trimEnd()]),
    ...(effectCalls.length === 0 ? ['Nothing that acts on the world outside was called.'] : []),
    ...(turn.answer ? [`Its answer: ${quote(turn.answer, 500)}`] : []),
    ...(turn.result === null ? [] : [`Its result: ${quote(JSON.stringify(turn.result), 2000)}`]),
  ];
}

/** Steps that another model than the agent's first took. */
function fallbacks({ steps }: TurnCase): string[] {
  const others = steps.filter(({ passed, takenBack }) => passed.length > 0 && !takenBack);
  if (others.length === 0) return [];
  const texts = others.slice(0, MOST_FIELDS).map(({ step, origin, passed }) => {
    const why = passed.map(({ model, reason }) => `${name(model)}: ${name(reason)}`).join(', ');
    return `step ${step} by ${name(origin?.model ?? 'unknown')} (${why})`;
  });
  const more = others.length > texts.length ? [count(others.length - texts.length, 'more step')] : [];
  return [`Taken by another model than the agent's first: ${[...texts, ...more].join('; ')}.`];
}

const MOST_FIELDS = 12;

/** Target and amount of a call: the preview that people saw, and the fields of the input. */
function what({ question, input }: CallCase): string {
  const preview = question?.preview ?? null;
  const fields = Object.entries(input ?? {});
  const fieldTexts = fields.slice(0, MOST_FIELDS).map(([field, value]) => `${name(field)} ${quote(oneLine(value), 120)}`);
  const more = fields.length > fieldTexts.length ? [`${count(fields.length - fieldTexts.length, 'more field')}`] : [];
  return [
    ...(preview === null ? [] : [`Shown as ${quote(oneLine(preview), 300)}.`]),
    ...(fieldTexts.length === 0 ? [] : [`Its input: ${[...fieldTexts, ...more].join(', ')}.`]),
  ].join(' ');
}

function oneLine(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function describeApprovals(turn: TurnCase, idOf: IdOf): Text[] {
  return turn.calls
    .filter((call) => mayHaveEffect(call) || call.decisions.length > 0)
    .map((call): Text => {
      const decisionTexts = call.decisions.map(decisionText);
      const questionText = call.question === null ? '' : `asked ${when(call.question.askedAt)}; `;
      if (decisionTexts.length > 0) return [link(call, idOf), ` ${questionText}${decisionTexts.join('; ')}`];
      if (call.verdict === 'allow') return [link(call, idOf), ` nobody was asked: ${name(call.reason ?? 'the rules allow it')}`];
      if (call.verdict === 'rejected') return [link(call, idOf), ` nobody: admission refused it`];
      return [link(call, idOf), ` ${questionText || 'it would have needed an approval; '}nobody has decided`];
    });
}

export function decisionText(entry: DecisionCase): string {
  const { decision, by, onBehalfOf, at, note } = entry;
  if (decision === 'expired') return `expired${at === null ? '' : ` ${when(at)}`}: nobody decided in time`;
  const sure = proof(entry);
  const value = entry.value === undefined ? '' : ` ${quote(pretty(entry.value))}`;
  return `${DECISION_WORDS[decision] ?? name(decision)}${value} by ${name(by)}${onBehalfOf === undefined ? '' : ` for ${name(onBehalfOf)}, as deputy`}${sure ? ` (${sure})` : ''}${at === null ? '' : `, ${when(at)}`}${note === null ? '' : `, with the note ${quote(note)}`}`;
}

function unknown(turn: TurnCase, idOf: IdOf): Text[] {
  const calls = current(turn);
  const unsignedCalls = calls.filter((call) =>
    call.decisions.some(({ signature, decision }) => signature === null && decision !== 'expired'),
  );
  const uncheckedCalls = calls.filter(({ decisions, settlements }) =>
    [...decisions, ...settlements].some(({ signature }) => signature !== null && signature !== 'holds'),
  );
  const steers = turn.transcript.filter(({ own, signature }) => own && signature !== null && signature !== 'holds');
  const leftOut = turn.transcript.filter(({ own, bodies }) => own && bodies.includes(null)).length;
  return [
    ...(turn.complete ? [] : [`The record of this turn is not complete: ${name(turn.why ?? 'no reason is given')}`]),
    ...calls.filter(isInDoubt).map((call): Text => [link(call, idOf), ' was sent off, and nobody knows whether it took effect.']),
    ...(unsignedCalls.length > 0
      ? [
          `Who really decided on ${unsignedCalls.map(({ id }) => id).join(', ')}: the names are not signed, and anybody who could reach the turn could give them.`,
        ]
      : []),
    ...(uncheckedCalls.length > 0
      ? [
          `Who really decided on ${uncheckedCalls.map(({ id }) => id).join(', ')}: there are signatures, and they are not checked.`,
        ]
      : []),
    ...(turn.startSignature === 'holds'
      ? []
      : [`Whether ${name(turn.requester)} really started it: ${UNPROVED_START[turn.startSignature ?? 'none']}.`]),
    ...(steers.length > 0
      ? [
          `Who really said ${count(steers.length, 'message')} to the running turn: there are signatures, and they are not checked.`,
        ]
      : []),
    ...(leftOut > 0 ? [`What stood in ${count(leftOut, 'block')} of which parts were left out.`] : []),
    ...(turn.hasHistory ? [] : ["Times, attempts and messages: Temporal's history is not in the bundle."]),
  ];
}

const UNPROVED_START = {
  none: 'the start is not signed',
  'does not hold': 'the signature on its start does not hold',
  'not checked': 'the signature on its start is not checked',
} as const;

function look(turn: TurnCase, idOf: IdOf): Text[] {
  const findings: Text[] = [];
  const { by, told } = turn.outsiders;
  if (by.length > 0) findings.push(`What outsiders wrote is in this record: it came by ${listNames(by)}.`);
  else if (told) findings.push('What outsiders wrote is in this record: the rules were told so.');
  for (const call of turn.calls) {
    const { decisions, activities, question } = call;
    if (mayHaveEffect(call) && hasReadOutsiders(call))
      findings.push([link(call, idOf), ' was asked for after the model had read what outsiders wrote.']);
    if (isInDoubt(call)) findings.push([link(call, idOf), ' is in doubt: nobody knows whether it took effect.']);
    for (const text of overrides(call)) findings.push([link(call, idOf), text]);
    for (const { by, at } of decisions.filter(({ decision: what }) => what === 'edit'))
      findings.push([
        link(call, idOf),
        ` ${name(by)} changed the input${at === null ? '' : `, ${when(at)}`}: the model had asked for something else. ${edits(call, turn)}`,
      ]);
    if (call.changes.some(({ by }) => typeof by !== 'string')) findings.push([link(call, idOf), ' a hook changed the input.']);
    for (const { kind, text: why } of question?.held ?? [])
      findings.push([link(call, idOf), ` was asked about again (${name(text(kind))}): ${quote(text(why))}`]);
    const runs = activities.filter(({ type }) => type === 'runCall');
    const tries = runs.reduce((sum, { attempts }) => sum + Math.max(attempts, 1), 0);
    if (tries > 1) findings.push([link(call, idOf), ` took ${count(tries, 'attempt')}.`]);
    for (const { outcome, failure } of runs.filter(({ outcome: how }) => how === 'failed' || how === 'timed_out'))
      findings.push([link(call, idOf), ` an attempt was lost (${outcome}): ${quote(failure ?? 'no reason recorded')}`]);
    for (const settlement of call.settlements)
      findings.push([
        link(call, idOf),
        ` was in doubt, and ${settledBy(settlement)} found out: ${name(text(settlement.outcome))}.`,
      ]);
    if (activities.some(({ type, takenBack }) => type === 'runCall' && takenBack))
      findings.push([link(call, idOf), ' ran before the workflow was reset; what it did stays done.']);
    if (call.verdict === 'rejected')
      findings.push([link(call, idOf), ` was refused by admission: ${quote(text(call.error?.message) || call.reason || '')}`]);
  }
  for (const { began, startedAt, reason } of turn.runs)
    if (began === 'reset') findings.push(`The workflow was reset, ${when(startedAt)}${reason ? `: ${quote(reason)}` : ''}.`);
  for (const { ended, reason, by, endedAt } of turn.runs)
    if (ended === 'terminated')
      findings.push(
        `The workflow was terminated${by ? ` by ${name(by)}` : ''}, ${when(endedAt)}${reason ? `: ${quote(reason)}` : ''}.`,
      );
  for (const { name: what, body, at } of turn.messages)
    if (what === 'steer')
      findings.push(
        `${name(text(object(body).by))} said something to the running turn, ${when(at)}: ${quote(text(object(body).text))}`,
      );
  if (turn.ignored.count > 0)
    findings.push(
      `${count(turn.ignored.count, 'message')} to the turn changed nothing, and ${turn.ignored.count === 1 ? 'was' : 'were'} ignored.`,
    );
  return findings;
}

const MOST_NAMES = 10;

function listNames(all: readonly string[]): string {
  const more = all.length - MOST_NAMES;
  return [...all.slice(0, MOST_NAMES).map(name), ...(more > 0 ? [count(more, 'more tool')] : [])].join(', ');
}

/** People approved a call that had been held. */
function overrides({ question, decisions }: CallCase): string[] {
  const holds = question?.held ?? [];
  const approvals = decisions.filter(({ decision }) => decision === 'approve');
  if (holds.length === 0 || approvals.length === 0) return [];
  const why = [...new Set(holds.map(({ kind }) => name(text(kind))))].join(', ');
  return [
    ` was approved by ${approvals.map(({ by, onBehalfOf }) => name(by) + (onBehalfOf === undefined ? '' : ` for ${name(onBehalfOf)}`)).join(', ')} although it had been held back (${why}).`,
  ];
}

/** The changed fields of the next revision. */
function edits(call: CallCase, { calls }: TurnCase): string {
  const next = calls.find(
    ({ id, revision, takenBack }) => id === call.id && revision === call.revision + 1 && takenBack === call.takenBack,
  );
  const fields = next ? diffFields(inputBefore(next, calls), next.input) : [];
  return fields.map(({ field, before, after }) => `${field} from ${quote(before, 120)} to ${quote(after, 120)}`).join('; ');
}

export function settledBy({ by, probe }: CallCase['settlements'][number]): string {
  return text(by) !== '' ? name(text(by)) : `the tool's probe ${name(text(probe))}`;
}

/** The outcome of a call, as words that follow its name. */
export function describeOutcome({ state, effect, record, error }: CallCase): string {
  if (effect === 'in_doubt' || state === 'in_doubt') return 'is in doubt: it was sent off, and its outcome is unknown.';
  if (effect === 'applied') return 'was applied.';
  if (effect === 'not_applied') return 'was not applied: nothing happened.';
  if (state === 'succeeded') return 'succeeded.';
  if (state === null && record !== null) return `left the record of an effect in state ${name(record.state ?? '')}.`;
  if (state === null) return 'has no outcome in this record.';
  const why = textOrNull(error?.message);
  const predicate = PREDICATES[state] ?? `is in state ${name(state)}`;
  return `${predicate}${why === null || state === 'superseded' ? '' : `: ${quote(why)}`}.`;
}

const PREDICATES: Readonly<Record<string, string>> = {
  rejected: 'was refused by admission',
  waiting: 'waited for a person when the record ended',
  approved: 'was approved, and had not run yet',
  denied: 'was denied by a person, and was not done',
  expired: 'was not done: nobody decided in time',
  superseded: 'was not done: another revision took its place',
  cancelled: 'was cancelled',
  running: 'was running when the record ended',
  failed: 'failed',
  ready: 'had not run yet',
  proposed: 'had not run yet',
};

/** Words for the state of a turn. */
const STATES: Readonly<Record<string, string>> = {
  awaiting_approval: 'waiting for an approval',
  awaiting_answer: 'waiting for an answer',
  in_doubt: 'in doubt',
  limit: 'at a limit',
  timed_out: 'by a timeout',
  refused: 'refused: every call that would have acted was refused',
};

const DECISION_WORDS: Readonly<Record<string, string>> = {
  approve: 'approved',
  deny: 'denied',
  answer: 'answered',
  edit: 'changed',
  settle: 'settled',
};

/** Acts on the world, or a person was asked about it. */
export function mayHaveEffect({ class: kind, effect, question }: CallCase): boolean {
  return kind === 'destructive' || kind === 'write' || effect !== null || question !== null;
}

function isInDoubt({ effect, state, record }: CallCase): boolean {
  return effect === 'in_doubt' || state === 'in_doubt' || (effect === null && OPEN.has(record?.state ?? ''));
}

/** States of an effect record without a known outcome. */
const OPEN: ReadonlySet<string> = new Set(['claimed', 'pending', 'in_doubt']);

/** Calls that no reset took back, each in its last revision. */
function current({ calls }: TurnCase): CallCase[] {
  return calls.filter(({ takenBack, state }) => !takenBack && state !== 'superseded');
}

function link(call: CallCase, idOf: IdOf): { to: string; text: string } {
  const revision = call.revision > 1 ? `, revision ${call.revision}` : '';
  return { to: idOf(call), text: `${name(call.tool)} (call ${name(call.id)}${revision}${call.takenBack ? ', taken back' : ''})` };
}
