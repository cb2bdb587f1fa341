/**
 * Builds the approval card, the page that a person reads in the Web UI before deciding. What will happen stands first; then in whose
 * words the request came, whether outsiders' text was read, the whole input, who decides, and how. It shows everything that fits, or
 * says TRUNCATED. All text that a model, a tool or a person wrote is in fences or inline code.
 */
import type { HoldReason } from '../shared/approval/approval';
import { PLAIN_POLICY, type ApprovalPolicy, type Escalation, type PolicyEntry } from '../shared/approval/policy';
import { originSections } from './card-origin';
import { CARD_SECTION, inputSections, jsonFence, previewText, section, targetText, type Room } from './card-text';
import type { Json, JsonObject } from '../shared/json/json';
import { optional } from '../shared/json/optional';
import { questionIn } from './question-card';
import type { Card, CardWords } from '../shapes/card';
import { inlineCode, inlineCodeUpTo } from '../shared/text/visible';

export type { Card, CardState, CardWords, MessageCard, StoredFacts } from '../shapes/card';
export { CARD_SECTION, TRUNCATION_MARK } from './card-text';

/** Those of its fields that a card shows. */
type ShownPolicy = Pick<ApprovalPolicy, 'channel' | 'quorum' | 'roles' | 'four_eyes' | 'entry'>;

export interface CardFacts {
  tool: string;
  version: string;
  callId: string;
  digest: string;
  requester: string;
  /** Who influenced the call besides the requester: with another input, or with a message to the turn. */
  makers?: string[];
  agent: string;
  reason: string;
  /** In whose words the request came, the first first. Absent: it is not known. */
  words?: CardWords[];
  /** Whether the conversation had read outsiders' text before. Absent: it is not known. */
  untrusted?: boolean;
  /** Hooks and people that changed the input from what the model asked for. */
  changes?: { hook?: string; why: string; by?: string }[];
  /** Why the call is asked about again. */
  held?: Pick<HoldReason, 'kind' | 'text'>[];
  policy?: ShownPolicy;
  /** Who may approve as well, and from when on. */
  escalations?: readonly Escalation[];
  input: JsonObject;
  preview: Json | null;
  /** What the tool acts on besides its input; absent or null: the tool declares no target. */
  target?: JsonObject | null;
  /** Which freeze holds such a call now, in words. Absent: none does. */
  frozen?: string;
  /** ISO 8601. */
  expiresAt: string;
}

/** Characters of a reason, which is one line. */
const LONG_LINE = 2_000;

/** Everything, however long. */
const ALL: Room = { limit: Infinity, link: null };

/**
 * The card as Markdown: whole if it fits, else with each text cut at {@link CARD_SECTION}.
 * @param most characters of the card in a URL, as the Web UI passes it on
 * @param link where the whole card is; null: nowhere
 */
export function approvalCard(
  facts: CardFacts,
  { most = Infinity, link = null }: { most?: number; link?: string | null } = {},
): string {
  const whole = cardIn(facts, ALL);
  return charactersInUrl(whole) <= most ? whole : cardIn(facts, { limit: CARD_SECTION, link });
}

/** Percent-encoded. */
export function charactersInUrl(text: string): number {
  return encodeURIComponent(text.toWellFormed()).length;
}

function cardIn(facts: CardFacts, room: Room): string {
  return [
    `## Waiting for approval: ${inlineCode(facts.tool)}`,
    '',
    `Agent ${inlineCode(facts.agent)} asks for call ${facts.callId}, version ${facts.version} of the tool. Nothing is done until you decide.`,
    '',
    ...actSections(facts, room),
    ...(facts.held ?? []).flatMap(({ kind, text }) => [`### ${HOLD_TEXTS[kind]}`, '', section(text, room), '']),
    ...originSections(facts, room),
    ...inputSection(facts, room),
    WHO_DECIDES,
    '',
    `- why it asks: ${inlineCodeUpTo(LONG_LINE, facts.reason)}`,
    ...policyLines(facts.policy ?? PLAIN_POLICY),
    ...escalationLines(facts.policy ?? PLAIN_POLICY, facts.escalations ?? []),
    ...(facts.frozen === undefined
      ? []
      : [`- frozen: ${inlineCodeUpTo(LONG_LINE, facts.frozen)}; if it is approved, it runs once the freeze has ended`]),
    `- expires ${facts.expiresAt}; then it is refused`,
    '',
    DECIDE,
    '',
    'Read the card to its end. Then, above: *More Actions → Send a Signal*. Put your name into what you paste.',
    '',
    '`approve` takes',
    '',
    jsonFence({ call: facts.digest, by: 'your-name' }),
    '',
    '`deny` takes the same, and a note that the model reads',
    '',
    jsonFence({ call: facts.digest, by: 'your-name', note: 'why not' }),
    '',
  ].join('\n');
}

function actSections({ preview, target }: Pick<CardFacts, 'preview' | 'target'>, room: Room): string[] {
  const will =
    preview === null
      ? 'The tool has no preview. It gets the input below, and nothing else.'
      : section(previewText(preview), room);
  return [WILL_HAPPEN, '', will, '', ...(target ? ['### Acts on', '', section(targetText(target), room), ''] : [])];
}

function inputSection({ input, changes = [] }: Pick<CardFacts, 'input' | 'changes'>, room: Room): string[] {
  const lines = changes.map(({ hook = '', why, by }) => {
    const who = by === undefined ? `hook ${inlineCode(hook)}` : inlineCode(by);
    return `- this input was changed by ${who}: ${inlineCodeUpTo(LONG_LINE, why)}`;
  });
  return ['### Input', '', inputSections(input, room), '', ...(lines.length > 0 ? [...lines, ''] : [])];
}

/**
 * What a call would do, from the card that its approvers read: for the people who settle it. Empty if the card has no such section.
 * Other people's text is in fences, so a heading in one of these is none.
 */
export function actOf(card: string): string {
  const lines: string[] = [];
  let fence: string | null = null;
  let isAct = false;
  for (const line of card.split('\n')) {
    const ticks = /^`{3,}/.exec(line)?.[0] ?? null;
    if (fence === null && line.startsWith('### '))
      isAct = line === WILL_HAPPEN || (isAct && line !== WHO_DECIDES && line !== DECIDE);
    if (fence === null) fence = ticks;
    else if (line === fence) fence = null;
    if (isAct) lines.push(line);
  }
  return lines.join('\n').trim();
}

const WILL_HAPPEN = '### What will happen';
const WHO_DECIDES = '### Who decides';
const DECIDE = '### Decide';

/**
 * The whole card as Markdown, from the card object; for a terminal, say.
 * @returns null if facts are missing (`incomplete`)
 */
export function wholeCard(card: Card): string | null {
  const { incomplete, requester, input, will_happen: preview } = card;
  if (incomplete !== undefined || requester === undefined || input === undefined || preview === undefined) return null;
  const { tool, version, digest, agent, reason = '', makers, words, untrusted, held, policy, acts_on: target } = card;
  const facts: CardFacts = {
    ...{
      tool,
      version,
      callId: card.call_id,
      digest,
      agent,
      reason,
      requester,
      input,
      preview,
      expiresAt: card.expires_at ?? '',
    },
    ...optional({ makers, words, untrusted, held, policy, target, changes: card.changes }),
  };
  if (card.kind === 'question') return questionIn(facts, ALL);
  if (card.kind === 'approval') return cardIn(facts, ALL);
  const { error, evidence } = card;
  return [
    `## In doubt: ${inlineCode(tool)}`,
    '',
    `Call ${facts.callId} of agent ${inlineCode(agent)} was dispatched and its outcome is unknown: ${inlineCode(error?.message ?? 'unknown')}. It will not be dispatched again.`,
    ...(evidence === undefined ? [] : ['', 'What its probe saw:', '', section(evidence, ALL), '']),
    '',
    ...actSections(facts, ALL),
    ...originSections(facts, ALL),
    ...inputSection(facts, ALL),
    '### Who settles',
    '',
    ...policyLines(policy ?? PLAIN_POLICY, 'settle'),
    '',
  ].join('\n');
}

const HOLD_TEXTS: Record<HoldReason['kind'], string> = {
  preview_drifted: 'It is asked again: what will happen has changed',
  target_changed: 'It is asked again: it would act on something else',
  same_intent: 'It looks like something that was done before',
  budget: 'It goes beyond a budget',
  reset: 'It is asked again: the workflow was reset',
  policy_changed: 'It is asked again: the rules have changed',
  approval_withdrawn: 'It is asked again: an approval was withdrawn',
};

function policyLines({ channel, quorum, roles, four_eyes, entry }: ShownPolicy, act: 'approve' | 'settle' = 'approve'): string[] {
  const advisory = channel === 'any' ? ' (advisory: names are not proved)' : '';
  const what = act === 'approve' ? 'approve' : 'settle it, and say the same';
  return [
    ...(entry ? [`- what an approval needs: ${inlineCode(entryText(entry))}`] : []),
    ...(quorum > 1 ? [`- ${quorum} people must ${what}${advisory}`] : []),
    ...(four_eyes ? [`- nobody who asked for it, changed it or steered the turn may ${act} it${advisory}`] : []),
    ...(channel === 'attested'
      ? ['- only signed decisions count: `holdfast sign` prints the `attestation` to paste beside `call`']
      : []),
    ...(roles.length > 0 ? [`- roles that may ${act}: ${roles.map(inlineCode).join(', ')}${advisory}`] : []),
  ];
}

function escalationLines({ channel }: ShownPolicy, escalations: readonly Escalation[]): string[] {
  const advisory = channel === 'any' ? ' (advisory: names are not proved)' : '';
  return escalations.map(({ at, roles }) => `- from ${at} on may approve too: ${roles.map(inlineCode).join(', ')}${advisory}`);
}

/** Which entry of the agent's list applies, and why. */
export function entryText({ index, when, result }: PolicyEntry): string {
  if (result === 'none') return 'no entry of the approval rules fits, so the common rule applies';
  if (result === 'failed')
    return `the condition of entry ${index} could not be evaluated (${when}), so the strictest entry applies`;
  return `entry ${index} of the approval rules applies${when === null ? ', which has no condition' : `: ${when}`}`;
}

/** The first line of a sub-agent's card, where the turn above shows it. */
export function callOrigin({ agent, turn_id }: { agent: string; turn_id: string }): string {
  return `From agent ${inlineCode(agent)}, in its turn ${inlineCode(turn_id)}. Decide here or there.`;
}

/** The card of a call in doubt: its outcome is unknown. */
export function inDoubtCard(facts: {
  tool: string;
  callId: string;
  digest: string;
  error: string;
  idempotencyKey: string;
  policy?: ApprovalPolicy;
  /** What the tool's probe reported; empty: the tool has no probe. */
  evidence?: string;
}): string {
  const policy = policyLines(facts.policy ?? PLAIN_POLICY, 'settle');
  return [
    `## In doubt: ${inlineCode(facts.tool)}`,
    '',
    `Call ${facts.callId} was dispatched and its outcome is unknown: ${inlineCode(facts.error)}. It will not be dispatched again.`,
    ...(facts.evidence ? ['', 'What its probe saw:', '', section(facts.evidence, { limit: CARD_SECTION, link: null }), ''] : []),
    `Look at the other side (idempotency key ${inlineCode(facts.idempotencyKey)}), then send the signal \`settle\` with what you found:`,
    '',
    ...(policy.length > 0 ? [...policy, ''] : []),
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'applied' }),
    '',
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'not_applied' }),
    '',
  ].join('\n');
}
