/**
 * The approval card: what a person reads in the Web UI before deciding. It shows the whole effective
 * input, or says TRUNCATED; everything that a model or a tool wrote stands in fences.
 */
import type { Json, JsonObject } from './json';
import { fenced, inlineCode, visible } from './visible';

/** Largest part of a card that shows the input or the preview, in characters. */
export const CARD_SECTION = 16_000;

export interface CardFacts {
  tool: string;
  version: string;
  callId: string;
  digest: string;
  requester: string;
  agent: string;
  reason: string;
  input: JsonObject;
  preview: Json | null;
  /** ISO 8601. */
  expiresAt: string;
}

/** The card as Markdown. */
export function approvalCard(facts: CardFacts): string {
  return [
    `## Waiting for approval: ${inlineCode(facts.tool)}`,
    '',
    `Call ${facts.callId} of agent ${inlineCode(facts.agent)}, version ${facts.version}. Nothing is done until you decide.`,
    '',
    `- asked by ${inlineCode(facts.requester)}`,
    `- why it asks: ${inlineCode(facts.reason)}`,
    `- expires ${facts.expiresAt}; then it is refused`,
    '',
    ...(facts.preview === null ? [] : ['### What will happen', '', section(previewText(facts.preview)), '']),
    '### Input',
    '',
    inputSections(facts.input),
    '',
    '### Decide',
    '',
    '*More Actions → Send a Signal*: choose `approve` or `deny` and paste (put your name in `by`; for a denial, `note` is read by the model):',
    '',
    jsonFence({ call: facts.digest, by: 'your-name' }),
    '',
    jsonFence({ call: facts.digest, by: 'your-name', note: 'why not' }),
    '',
  ].join('\n');
}

/** The card of a call whose outcome nobody knows. */
export function inDoubtCard(facts: {
  tool: string;
  callId: string;
  digest: string;
  error: string;
  idempotencyKey: string;
}): string {
  return [
    `## In doubt: ${inlineCode(facts.tool)}`,
    '',
    `Call ${facts.callId} was dispatched and its outcome is unknown: ${inlineCode(facts.error)}. It will not be dispatched again.`,
    `Look at the other side (idempotency key ${inlineCode(facts.idempotencyKey)}), then send the signal \`settle\` with what you found:`,
    '',
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'applied' }),
    '',
    jsonFence({ call: facts.digest, by: 'your-name', outcome: 'not_applied' }),
    '',
  ].join('\n');
}

function inputSections(input: JsonObject): string {
  const fields = Object.entries(input);
  if (fields.length === 0) return fenced('{}');
  const share = Math.max(200, Math.floor(CARD_SECTION / fields.length));
  const total = fields.reduce((sum, [, value]) => sum + fieldText(value).length, 0);
  return fields
    .map(([name, value]) => {
      const text = fieldText(value);
      const kind = isLongText(value) ? ` (text, ${text.length} characters)` : '';
      return `${inlineCode(name)}${kind}\n\n${section(text, total <= CARD_SECTION ? CARD_SECTION : share)}`;
    })
    .join('\n\n');
}

function isLongText(value: Json): value is string {
  return typeof value === 'string' && (value.includes('\n') || value.length > 120);
}

function fieldText(value: Json): string {
  return isLongText(value) ? value : JSON.stringify(value, null, 2);
}

function previewText(preview: Json): string {
  return typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
}

function section(text: string, limit = CARD_SECTION): string {
  const shown = visible(text);
  if (shown.length <= limit) return fenced(text);
  const cut = [...text].slice(0, limit).join('');
  return `${fenced(cut)}\n\n**TRUNCATED**: the first ${cut.length} of ${text.length} characters. \`holdfast show\` has the whole input; do not approve what you have not read.`;
}

function jsonFence(value: Json): string {
  return `\`\`\`json\n${JSON.stringify(value)}\n\`\`\``;
}
