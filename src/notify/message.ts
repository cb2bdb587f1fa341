/** Composes the message about a question, the same for every way of notification. */
import type { QuestionContext } from '../activities/ports';
import type { MessageCard } from '../cards/card';
import { boundedCard } from '../cards/message-card';
import type { NotifyInput } from '../shared/io/activities';
import { hashJson } from '../shared/json/digests';
import { visible } from '../shared/text/visible';
import { publicLink } from '../shared/wire/links';
import { cardUrl, workflowUrl } from '../shared/wire/links';

/** For links. */
export interface WebUiLocation {
  /** Base of the Web UI's addresses, without `/` at its end; null: unknown. */
  uiUrl: string | null;
  /** Base of the page's addresses, likewise. */
  pageUrl?: string | null;
  namespace: string;
}

/** The body of a webhook. */
export interface Message {
  type: (typeof TYPES)[NotifyInput['kind']];
  /** When the question opened, or the reminder was due; ISO 8601. */
  timestamp: string;
  turn_id: string;
  workflow_id: string;
  agent: string;
  requester: string;
  call_id: string;
  tool: string;
  digest: string;
  /** ISO 8601; null for a call in doubt, which waits without a limit. */
  expires_at: string | null;
  /** Markdown, at most 16,000 characters; null: it could not be read, and the message asks for no decision. */
  card: string | null;
  /** The card is longer; the page has all of it. */
  card_truncated: boolean;
  /** The card as an object; fields that are too long are left out, and `incomplete` names them. Null: the store does not have it. */
  facts: MessageCard | null;
  /** The call on the page; null: HOLDFAST_PUBLIC_URL is not set. */
  link: string | null;
  /** The workflow in the Web UI, where its card is. */
  ui_url: string | null;
  /** Ready for a shell, except for NAME. Empty if there is no card. */
  commands: Record<string, string>;
}

const TYPES = {
  approval: 'approval.requested',
  reminder: 'approval.reminder',
  escalated: 'approval.escalated',
  in_doubt: 'effect.in_doubt',
  question: 'question.asked',
} as const;
/** The specification recommends a small webhook body, about 20 KB. */
const LONGEST_CARD = 16_000;

const NO_CONTEXT: QuestionContext = { facts: null, run_id: null };

/** @param context what else is known of the question */
export function messageOf(
  question: NotifyInput,
  card: string | null,
  { uiUrl, pageUrl = null, namespace }: WebUiLocation,
  { facts, run_id }: QuestionContext = NO_CONTEXT,
): Message {
  const { turn, kind, call_id, tool, digest, expires_at, at } = question;
  // A reminder asks what the first message asked: an approval, or an answer.
  const request = kind === 'reminder' ? (facts?.kind ?? kind) : kind;
  return {
    type: TYPES[kind],
    timestamp: at,
    turn_id: turn.turn_id,
    workflow_id: turn.workflow_id,
    agent: turn.agent,
    requester: turn.requester,
    call_id,
    tool,
    digest,
    expires_at,
    card: card ? card.slice(0, LONGEST_CARD).toWellFormed() : null,
    card_truncated: card !== null && card.length > LONGEST_CARD,
    facts: facts === null ? null : boundedCard(facts),
    link: publicLink(pageUrl, { turn_id: turn.turn_id, digest }),
    ui_url: cardUrl(workflowUrl(uiUrl, namespace, turn.workflow_id), run_id),
    commands: card ? commandsFor(request, turn.turn_id, digest) : {},
  };
}

/** The same for a repetition: each question gets one message, and each of its reminders. 36 characters, without a dot. */
export function messageId({ kind, turn, digest, at }: NotifyInput): string {
  const { workflow_id, first_execution_run_id } = turn;
  const due = kind === 'reminder' || kind === 'escalated' ? at : null;
  return `msg_${hashJson({ v: 'holdfast.notify/1', workflow_id, first_execution_run_id, kind, digest, due }).slice(0, 32)}`;
}

/** One line about the question, as plain text without markup. */
export function titleOf(message: Message): string {
  const { turn_id, requester } = message;
  return `${subjectOf(message)} in turn ${inLine(turn_id)}, asked by ${inLine(requester)}`;
}

/** The same, about the call alone. */
export function subjectOf({ type, tool, expires_at }: Message): string {
  if (type === 'effect.in_doubt') return `In doubt: ${inLine(tool)}`;
  if (type === 'question.asked') return `A question: ${inLine(tool)}`;
  if (type === 'approval.escalated') return `Waiting, and further people may approve now: ${inLine(tool)}`;
  return type === 'approval.requested'
    ? `Waiting for approval: ${inLine(tool)}`
    : `Still waiting, until ${expires_at}: ${inLine(tool)}`;
}

function commandsFor(kind: NotifyInput['kind'] | MessageCard['kind'], turnId: string, digest: string): Record<string, string> {
  const common = `${turnId} --call ${digest} --by NAME`;
  if (kind === 'in_doubt')
    return {
      applied: `holdfast settle ${turnId} applied --call ${digest} --by NAME`,
      not_applied: `holdfast settle ${turnId} not_applied --call ${digest} --by NAME`,
    };
  if (kind === 'question') return { answer: `holdfast answer ${common} --value JSON` };
  return { approve: `holdfast approve ${common}`, deny: `holdfast deny ${common} --note WHY` };
}

function inLine(text: string): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  return line.length <= 80 ? line : `${line.slice(0, 79).toWellFormed()}…`;
}
