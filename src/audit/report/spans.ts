/** Builds the rows of a turn's timeline, for the picture and for the table beside it. */
import { object, text, textOrNull } from '../../record/fields';
import type { ActivityCase, CallCase, StepCase, TurnCase } from '../case-file';
import { waitOf } from './waits';
import { between, count, duration, ms, name, quote } from './format-values';

export type BarKind = 'model' | 'run' | 'wait' | 'retry' | 'admit';
export type MarkKind = 'approve' | 'deny' | 'edit' | 'expired' | 'effect' | 'trouble' | 'message' | 'other';

export interface Bar {
  kind: BarKind;
  /** ms since 1970. */
  from: number;
  to: number;
  says: string;
  /** A reset took it back. */
  takenBack: boolean;
}

export interface Mark {
  kind: MarkKind;
  at: number;
  /** One character, shown in the mark. */
  sign: string;
  says: string;
}

export interface Row {
  label: string;
  /** Id of the section that describes the row. */
  to: string | null;
  bars: Bar[];
  marks: Mark[];
}

const ADMITS = new Set([
  'admitCall',
  'admitDirect',
  'inspectEffect',
  'reconcileEffect',
  'completeCall',
  'settleEffect',
  'closeSubTurn',
]);

/** @param idOf the id of a call's section */
export function rowsOf(turn: TurnCase, idOf: (call: CallCase) => string): Row[] {
  const endOfAll = lastMoment(turn);
  const rows = [turnRow(turn)];
  const callsWithRow = new Set<CallCase>();
  for (const step of turn.steps) {
    rows.push(stepRow(step, endOfAll));
    for (const call of turn.calls.filter(({ step: of, takenBack }) => of === step.step && takenBack === step.takenBack)) {
      callsWithRow.add(call);
      rows.push(callRow(call, idOf(call), endOfAll));
    }
  }
  for (const call of turn.calls) if (!callsWithRow.has(call)) rows.push(callRow(call, idOf(call), endOfAll));
  return rows.filter(({ bars, marks }) => bars.length + marks.length > 0);
}

function turnRow({ messages, runs, startedAt, endedAt, state }: TurnCase): Row {
  const marks: Mark[] = [];
  mark(marks, startedAt, 'other', '▸', 'the turn began');
  for (const { at, name: what, channel, identity } of messages)
    mark(marks, at, 'message', '✉', `${channel} ${name(what)} arrived${identity ? `, sent as ${name(identity)}` : ''}`);
  for (const { began, startedAt: at } of runs.slice(1))
    mark(
      marks,
      at,
      'other',
      began === 'reset' ? '↺' : '→',
      began === 'reset' ? 'the workflow was reset' : 'the workflow went on in a new run',
    );
  mark(marks, endedAt, state === 'completed' ? 'effect' : 'trouble', '■', `the turn ended: ${name(state)}`);
  return { label: 'turn', to: null, bars: [], marks };
}

function stepRow({ step, activity, takenBack, origin, passed }: StepCase, end: number): Row {
  const by =
    passed.length === 0 || origin === null ? '' : `, taken by ${name(origin.model)} after ${count(passed.length, 'other model')}`;
  const bars = activity ? activityBars(activity, 'model', end, `model request of step ${step}${by}`) : [];
  return { label: `step ${step}${takenBack ? ' (taken back)' : ''}`, to: null, bars, marks: [] };
}

function callRow(call: CallCase, to: string, end: number): Row {
  const bars: Bar[] = [];
  const marks: Mark[] = [];
  const { decisions, activities, id, tool, revision } = call;
  for (const activity of activities) {
    const kind = ADMITS.has(activity.type) ? 'admit' : 'run';
    bars.push(...activityBars(activity, kind, end, WHAT[activity.type] ?? activity.type));
    effectMark(marks, activity);
  }
  const wait = waitOf(call);
  if (wait !== null) {
    const { from, to } = wait;
    const says = to === null ? 'waits for a person; nobody has decided' : `waited ${duration(to - from)} for a person`;
    bars.push({ kind: 'wait', from, to: Math.max(from, to ?? end), says, takenBack: call.takenBack });
  }
  for (const { decision, by, at } of decisions) {
    const sign = { approve: '✓', deny: '✗', edit: '✎', expired: '…', answer: '»' }[decision] ?? '?';
    const kind =
      decision === 'answer'
        ? 'message'
        : ((['approve', 'deny', 'edit', 'expired'] as const).find((candidate) => candidate === decision) ?? 'other');
    mark(marks, at, kind, sign, decision === 'expired' ? 'expired: nobody decided in time' : `${name(decision)} by ${name(by)}`);
  }
  for (const settlement of call.settlements) {
    const says = `settled as ${text(settlement.outcome)} by ${name(text(settlement.by) || text(settlement.probe))}`;
    mark(marks, textOrNull(settlement.at), 'message', '⚖', says);
  }
  const label = `${id} ${name(tool)}${revision > 1 ? ` (revision ${revision})` : ''}${call.takenBack ? ' (taken back)' : ''}`;
  return { label, to, bars, marks };
}

const WHAT: Readonly<Record<string, string>> = {
  runCall: 'ran',
  admitCall: 'admission: preview and card',
  admitDirect: 'admission',
  inspectEffect: 'looked for the effect of a lost attempt',
  reconcileEffect: "asked the tool's probe",
  completeCall: 'looked at the pending call',
  settleEffect: 'wrote down what a person had found out',
  openSubTurn: "opened a sub-agent's turn",
  closeSubTurn: "took a sub-agent's answer",
};

function activityBars(activity: ActivityCase, kind: BarKind, end: number, what: string): Bar[] {
  const { scheduledAt, startedAt, endedAt, attempts, outcome, failure, lastFailure, takenBack } = activity;
  const from = ms(scheduledAt);
  if (from === null) return [];
  const runStart = ms(startedAt) ?? ms(endedAt) ?? end;
  const to = ms(endedAt) ?? end;
  const bars: Bar[] = [];
  if (attempts > 1) {
    const why = lastFailure === null ? '' : `, the last time: ${quote(lastFailure, 120)}`;
    bars.push({ kind: 'retry', from, to: runStart, says: `${count(attempts - 1, 'attempt')} failed${why}`, takenBack });
  }
  const how =
    outcome === 'completed'
      ? ''
      : outcome === 'running'
        ? ', not ended'
        : `, ${outcome}: ${quote(failure ?? 'no reason recorded', 120)}`;
  const took = duration(between(startedAt ?? scheduledAt, endedAt));
  bars.push({ kind, from: attempts > 1 ? runStart : Math.min(from, runStart), to, says: `${what}, ${took}${how}`, takenBack });
  return bars;
}

function effectMark(marks: Mark[], { type, output, endedAt, outcome }: ActivityCase): void {
  const outputFacts = object(output);
  const result = object(outputFacts.outcome ?? outputFacts.settled ?? output);
  const effect = textOrNull(result.effect);
  if (type === 'admitCall') return;
  if (outcome === 'failed' || outcome === 'timed_out') mark(marks, endedAt, 'trouble', '!', `the attempt was lost: ${outcome}`);
  else if (effect !== null)
    mark(
      marks,
      endedAt,
      effect === 'applied' ? 'effect' : 'trouble',
      effect === 'applied' ? '●' : effect === 'in_doubt' ? '?' : '○',
      `effect: ${name(effect)}`,
    );
  else if (textOrNull(result.state) === 'failed') mark(marks, endedAt, 'trouble', '!', 'it failed');
}

function mark(marks: Mark[], at: string | null, kind: MarkKind, sign: string, says: string): void {
  const moment = ms(at);
  if (moment !== null && !Number.isNaN(moment)) marks.push({ kind, at: moment, sign, says });
}

function lastMoment({ endedAt, runs, steps, calls }: TurnCase): number {
  const times = [
    endedAt,
    ...runs.flatMap(({ startedAt, endedAt: end }) => [startedAt, end]),
    ...[...steps.flatMap(({ activity }) => activity ?? []), ...calls.flatMap(({ activities }) => activities)].flatMap(
      ({ scheduledAt, startedAt, endedAt: end }) => [scheduledAt, startedAt, end],
    ),
  ];
  return times.reduce((last, at) => Math.max(last, ms(at) ?? 0), 0);
}
