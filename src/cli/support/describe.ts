/** Describes turns, calls and events in words, for the terminal. Control characters in untrusted text are made visible. */
import { nameOfVote } from '../../shared/approval/approval';
import type { Sent } from '../../client/turns/missing-answer';
import { costText, type CallView, type SurfacedCall, type TurnView } from '../../shared/turn/turn-view';
import { entryText } from '../../cards/card';
import { visible } from '../../shared/text/visible';
import type { TurnEvent } from '../../shapes/turn-event';

export function oneLine(text: string, length = 160): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return line.length <= length ? line : `${line.slice(0, length - 1)}…`;
}

/** @param key the idempotency key from which the turn's id was hashed */
export function describeTurn(view: TurnView, key: string | null = null): string[] {
  const { input_tokens, output_tokens } = view.usage;
  return [
    `${view.turn_id}${describeKey(key)}  ${view.state}${view.reason ? `: ${oneLine(view.reason, 300)}` : ''}`,
    `  agent ${view.agent}, asked by ${oneLine(view.requester)}, step ${view.step}, ${input_tokens} tokens in, ${output_tokens} out, ${costText(view.usage)}`,
    ...(view.waits_for ? [`  ${oneLine(view.waits_for.text)}`] : []),
    ...(view.sleep ? [`  sleeps until ${view.sleep.until}: ${oneLine(view.sleep.reason, 300)}`] : []),
    ...(view.frozen ? [`  a call waits: ${oneLine(view.frozen, 300)}`] : []),
    ...(view.ui_url ? [`  ${view.ui_url}`] : []),
    ...(view.head ? [`  head ${view.head}`] : []),
    ...(view.steered_by ? [`  steered by ${oneLine(view.steered_by.join(', '), 300)}`] : []),
    ...view.calls.flatMap((call) => [`  ${describeCall(call)}`, ...entryLines(call)]),
    ...(view.sub_turns ?? []).flatMap(({ waiting }) => waiting.map((it) => `  ${describeSurfacedCall(it)}`)),
    ...(view.ignored_signals.count > 0
      ? [
          `  ${view.ignored_signals.count} signals were ignored; the last: ${oneLine(view.ignored_signals.last.at(-1)?.reason ?? '')}`,
        ]
      : []),
    ...(view.text === '' ? [] : ['', ...visible(view.text).split('\n')]),
    ...resultLines(view),
  ];
}

/** The data that the agent gave, as JSON. */
export function resultLines({ result }: TurnView): string[] {
  return result === undefined ? [] : ['', ...visible(JSON.stringify(result, null, 2)).split('\n')];
}

export function describeKey(key: string | null): string {
  return key === null ? '' : ` (key ${oneLine(key, 60)})`;
}

export function describeCall(call: CallView): string {
  const { error } = call;
  const end = error ? oneLine(`${error.code} ${error.reason}: ${error.message}`, 300) : oneLine(call.result_summary ?? '', 90);
  const effect = call.effect === null ? '' : ` (${call.effect})`;
  return `${call.id.padEnd(5)} ${oneLine(call.tool, 40).padEnd(22)} ${call.state}${effect}  ${end}`.trimEnd();
}

/** Which entry of a list of approval rules applies to a call. */
function entryLines({ approval: { entry } }: CallView): string[] {
  return entry === undefined ? [] : [`        ${oneLine(entryText(entry), 200)}`];
}

/** A waiting call of a sub-agent. */
function describeSurfacedCall({ turn_id, call }: SurfacedCall): string {
  return `${call.id.padEnd(5)} ${oneLine(call.tool, 40).padEnd(22)} ${call.state}, in ${turn_id}: \`holdfast pending\` tells more`;
}

export function describeSentMessage({ at, kind, name, identity, principal }: Sent): string {
  const who = principal === null ? 'server names no principal' : `server says ${oneLine(principal, 100)}`;
  return `${at}  ${`${kind} ${oneLine(name, 40)}`.trim().padEnd(16)} client says ${oneLine(identity, 100)}; ${who}`;
}

const DECISION_WORDS: Record<string, string> = { approve: 'approved', deny: 'denied', edit: 'changed' };

/** Says that another model than the agent's first took a step. */
function takenBy(step: number, model: string, others: readonly { model: string; reason: string }[]): string {
  const reasons = others.map((one) => `${oneLine(one.model, 60)} did not answer (${oneLine(one.reason, 60)})`).join(', ');
  return `  step ${step} by ${oneLine(model, 60)}: ${reasons}`;
}

/** One event as a line; null for events without a line. */
export function describeEvent(event: TurnEvent): string | null {
  switch (event.type) {
    case 'turn_started':
      return `${event.agent === '' ? '' : `${event.agent}: `}${oneLine(event.message)}`;
    case 'turn_reset':
      return `the workflow was reset${event.reason ? `: ${oneLine(event.reason)}` : ''}; what was done before stays done`;
    case 'text_delta':
    case 'tool_log':
      return null;
    case 'step_started':
      return `step ${event.step}: the model thinks`;
    case 'step_completed': {
      const lines = event.passed ? [takenBy(event.step, event.model ?? '', event.passed)] : [];
      if (event.text !== '' && event.calls.length > 0) lines.push(`  ${oneLine(event.text, 200)}`);
      return lines.length === 0 ? null : lines.join('\n');
    }
    case 'tool_started':
      return `  → ${event.call} ${event.tool}`;
    case 'tool_progress':
      return `    ${event.call} ${oneLine(event.message)}${event.fraction === null ? '' : ` (${Math.round(event.fraction * 100)} %)`}`;
    case 'tool_retrying':
      return `    ${event.call} attempt ${event.attempt}: ${oneLine(event.error)}`;
    case 'model_waiting':
      return `    step ${event.step} ${oneLine(event.text)}`;
    case 'tool_result':
      return `  ✓ ${event.call} ${event.tool}${event.effect ? ` (${event.effect})` : ''}  ${oneLine(event.summary, 100)}`;
    case 'tool_error':
      return `  ✗ ${event.call} ${oneLine(event.tool, 40)}${event.effect ? ` (${event.effect})` : ''}  ${event.error ? oneLine(`${event.error.code} ${event.error.message}`, 140) : ''}`;
    case 'call_pending':
      return `  … ${event.call} ${event.tool} is pending, until ${event.expires_at}`;
    case 'call_completed':
      return `  … ${event.call} ${event.tool}: ended by ${event.by}`;
    case 'approval_requested':
      return `  ■ ${event.call} ${event.tool} waits for approval, until ${event.expires_at ?? 'decided'}\n    call ${event.digest}`;
    case 'approval_decided':
      return `  ■ ${event.call} ${event.tool}: ${DECISION_WORDS[event.decision] ?? event.decision}${event.by === '' ? '' : ` by ${oneLine(nameOfVote(event), 120)}`}${event.note ? ` (${oneLine(event.note)})` : ''}`;
    case 'question_asked':
      return `  ? ${event.call} ${event.tool} waits for an answer, until ${event.expires_at ?? 'answered'}\n    call ${event.digest}`;
    case 'question_answered':
      return `  ? ${event.call} ${event.tool}: ${answerLine(event)}`;
    case 'turn_completed':
      return `${event.state}${event.reason ? `: ${oneLine(event.reason, 300)}` : ''}`;
  }
}

function answerLine({ expired, value, by, note }: Extract<TurnEvent, { type: 'question_answered' }>): string {
  if (expired) return 'nobody answered in time';
  return `${oneLine(JSON.stringify(value), 100)} by ${oneLine(by, 60)}${note ? ` (${oneLine(note)})` : ''}`;
}
