/**
 * Builds the approval card, the page that a person reads in the Web UI before deciding. It shows the whole effective input, or says
 * TRUNCATED. All text that a model or a tool wrote is in fences or inline code.
 */
import type { HoldReason } from './approval';
import { PLAIN_POLICY, type ApprovalPolicy, type Escalation, type PolicyEntry } from './policy';
import type { Json, JsonObject } from '../json/json';
import { fenceText, inlineCode, visible } from '../text/visible';

export type { Card, CardState, CardWords, StoredFacts } from '../../shapes/card';

/** Most characters of one section of a card, such as the input or the preview. */
export const CARD_SECTION = 24_000;
/** The line under a cut section begins with this. */
export const TRUNCATION_MARK = '**TRUNCATED**';

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
  /** Hooks and people that changed the input from what the model asked for. */
  changes?: { hook: string; why: string; by?: string }[];
  /** Why the call is asked about again. */
  held?: HoldReason[];
  policy?: ApprovalPolicy;
  /** Who may approve as well, and from when on. */
  escalations?: readonly Escalation[];
  input: JsonObject;
  preview: Json | null;
  /** What the tool acts on besides its input; absent or null: the tool declares no target. */
  target?: JsonObject | null;
  /** ISO 8601. */
  expiresAt: string;
}

/** The card as Markdown. */
export function approvalCard(facts: CardFacts): string {
  return [
    `## Waiting for approval: ${inlineCode(facts.tool)}`,
    '',
    `Agent ${inlineCode(facts.agent)} asks for call ${facts.callId}, version ${facts.version} of the tool. Nothing is done until you decide.`,
    '',
    `- asked by ${inlineCode(facts.requester)}`,
    ...(facts.makers?.length ? [`- changed or steered by: ${facts.makers.map(inlineCode).join(', ')}`] : []),
    `- why it asks: ${inlineCode(facts.reason)}`,
    ...(facts.changes ?? []).map(
      ({ hook, why, by }) =>
        `- the input below was changed by ${by === undefined ? `hook ${inlineCode(hook)}` : inlineCode(by)}: ${inlineCode(why)}`,
    ),
    `- expires ${facts.expiresAt}; then it is refused`,
    ...policyLines(facts.policy ?? PLAIN_POLICY),
    ...escalationLines(facts.policy ?? PLAIN_POLICY, facts.escalations ?? []),
    '',
    ...(facts.held ?? []).flatMap(({ kind, text }) => [`### ${HOLD_TEXTS[kind]}`, '', section(text), '']),
    '### Decide',
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
    actSections(facts),
  ].join('\n');
}

/** What a call would do: the last sections of its card. */
export type Act = Pick<CardFacts, 'preview' | 'target' | 'input'>;

/** Headings of these last sections; no earlier section of the card has one. */
export const ACT_HEADINGS: readonly string[] = ['### What will happen', '### Acts on', '### Input'];

/** @param limit characters per section; a longer section is cut, and says so */
export function actSections({ preview, target, input }: Act, limit = CARD_SECTION): string {
  const [will, on, takes] = ACT_HEADINGS as [string, string, string];
  return [
    ...(preview === null ? [] : [will, '', section(previewText(preview), limit), '']),
    ...(target ? [on, '', section(targetText(target), limit), ''] : []),
    takes,
    '',
    inputSections(input, limit),
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
};

function policyLines(
  { channel, quorum, roles, four_eyes, entry }: ApprovalPolicy,
  act: 'approve' | 'settle' = 'approve',
): string[] {
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

function escalationLines({ channel }: ApprovalPolicy, escalations: readonly Escalation[]): string[] {
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
    ...(facts.evidence ? ['', 'What its probe saw:', '', section(facts.evidence), ''] : []),
    `Look at the other side (idempotency key ${inlineCode(facts.idempotencyKey)}), then send the signal \`settle\` with what you found:`,
    '',
    ...(policy.length > 0 ? [...policy, ''] : []),
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'applied' }),
    '',
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'not_applied' }),
    '',
  ].join('\n');
}

function inputSections(input: JsonObject, limit: number): string {
  const fields = Object.entries(input);
  if (fields.length === 0) return fenceText('{}');
  const share = Math.max(200, Math.floor(limit / fields.length));
  const total = fields.reduce((sum, [, value]) => sum + fieldText(value).length, 0);
  return fields
    .map(([name, value]) => {
      const text = fieldText(value);
      const kind = isLongText(value) ? ` (text, ${text.length} characters)` : '';
      return `${inlineCode(name)}${kind}\n\n${section(text, total <= limit ? limit : share)}`;
    })
    .join('\n\n');
}

function isLongText(value: Json): value is string {
  return typeof value === 'string' && (value.includes('\n') || value.length > 120);
}

function fieldText(value: Json): string {
  return isLongText(value) ? value : JSON.stringify(value, null, 2);
}

/** One line per field. */
function targetText(target: JsonObject): string {
  const lines = Object.entries(target).map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return lines.join('\n');
}

function previewText(preview: Json): string {
  return typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
}

/** The text in a fence. It is cut at `limit` characters as displayed, and a line below says so. */
function section(text: string, limit = CARD_SECTION): string {
  const visibleText = visible(text);
  if (visibleText.length <= limit) return wrappedFence(visibleText);
  const cut = visibleText.slice(0, limit).replace(/[\uD800-\uDBFF]$/, '');
  return `${wrappedFence(cut)}\n\n${TRUNCATION_MARK}: the first ${cut.length} of ${visibleText.length} characters. The rest is not shown here (\`holdfast pending --watch\` prints it): do not approve what you have not read; deny it, and ask for less at once.`;
}

/** Columns that the Web UI shows in half a window of 1280 pixels. It does not wrap, so the rest of a longer line is hidden. */
const COLUMNS = 72;
const GOES_ON = '↪ ';

function wrappedFence(text: string): string {
  const lines = text.replaceAll('↪', '⟨U+21AA⟩').split('\n').map(wrapLine).join('\n');
  const note = `\n\n${inlineCode(GOES_ON)} marks a long line that goes on.`;
  return fenceText(lines) + (lines.includes(GOES_ON) ? note : '');
}

/** Breaks after a space if one is in the second half of the line. Removing `\n↪ ` restores the line, spaces included. */
function wrapLine(line: string): string {
  const parts: string[] = [];
  let part = '';
  let columns = 0;
  for (const char of line) {
    columns += columnsOf(char);
    part += char;
    if (columns <= COLUMNS) continue;
    const space = part.slice(0, -char.length).lastIndexOf(' ') + 1;
    const end = space > part.length / 2 ? space : part.length - char.length;
    parts.push(part.slice(0, end));
    part = part.slice(end);
    columns = GOES_ON.length + [...part].reduce((sum, each) => sum + columnsOf(each), 0);
  }
  return [...parts, part].join(`\n${GOES_ON}`);
}

const WIDE =
  /[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]|\p{Extended_Pictographic}/u;

function columnsOf(char: string): number {
  return char === '\t' ? 8 : WIDE.test(char) ? 2 : 1;
}

/** A digest gets a line of its own: on one line the card would hide its end. */
function jsonFence(value: JsonObject): string {
  const fields = Object.entries(value).map(([key, field]) => {
    const text = JSON.stringify(field);
    return `${JSON.stringify(key)}:${text.length > 40 ? '\n' : ''} ${text}`;
  });
  return `\`\`\`json\n{${fields.join(',\n ')}}\n\`\`\``;
}
