/**
 * What a chat message says about a question: what would happen, who asked, until when. It is short, and it is no place to decide: a
 * person reads the whole card on the page that it links to.
 */
import type { MessageCard } from '../cards/card';
import { previewText, targetText } from '../cards/card-text';
import { maskSecrets } from '../shared/text/secrets';
import { visible } from '../shared/text/visible';
import { subjectOf, type Message } from './message';

export interface Summary {
  /** One line. */
  title: string;
  /** What would happen, or why nobody is asked; may have several lines. */
  what: string;
  /** Name and value, one line each. */
  facts: [name: string, value: string][];
  /** What the reader has to know besides. */
  note: string;
  /** Null: there is neither a page nor a Web UI. */
  link: { title: string; url: string } | null;
}

const LONGEST_WHAT = 1_200;
const LONGEST_FACT = 300;

/** @param card null: the store does not have it */
export function summaryOf(message: Message, card: MessageCard | null): Summary {
  const { requester, agent, turn_id, expires_at } = message;
  const [words] = card?.words ?? [];
  return {
    title: shorten(subjectOf(message), 140),
    what: whatOf(message, card),
    facts: [
      ...(card?.acts_on ? [fact('Acts on', targetText(card.acts_on))] : []),
      fact('Asked by', requester),
      ...(words === undefined ? [] : [fact('In the words', words.text)]),
      ...(card?.untrusted === undefined
        ? []
        : [fact('Text of outsiders', card.untrusted ? 'was read before' : 'was not read before')]),
      fact('Agent and turn', `${agent}, ${turn_id}`),
      ...(card?.policy === undefined ? [] : [fact('Who decides', deciders(card.policy))]),
      fact('Until', expires_at ?? 'it is settled'),
    ],
    note: 'This message decides nothing. Read the whole card before you decide.',
    link: linkOf(message),
  };
}

function whatOf(message: Message, card: MessageCard | null): string {
  if (message.card === null) return 'Its card could not be read, so nobody is asked to decide: look at the workflow first.';
  if (card === null) return 'What would happen is on its card.';
  const { will_happen: preview = null, input } = card;
  if (preview !== null) return excerpt(previewText(preview));
  return excerpt(input === undefined || Object.keys(input).length === 0 ? 'The tool takes no input.' : targetText(input));
}

function deciders({ quorum, roles, channel }: NonNullable<MessageCard['policy']>): string {
  const people = quorum === 1 ? 'one person' : `${quorum} people`;
  return `${people}${roles.length > 0 ? ` with a role of ${roles.join(', ')}` : ''}${channel === 'attested' ? ', signed' : ''}`;
}

function linkOf({ link, ui_url }: Message): Summary['link'] {
  if (link !== null) return { title: 'Open the call', url: link };
  return ui_url === null ? null : { title: 'Open the workflow', url: ui_url };
}

function fact(name: string, value: string): [string, string] {
  return [name, shorten(value, LONGEST_FACT)];
}

/** In one line. */
function shorten(text: string, most: number): string {
  const line = readable(text).replace(/\s+/g, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).toWellFormed()}…`;
}

/** The beginning, which says how much is missing. */
function excerpt(text: string): string {
  const safeText = readable(text);
  if (safeText.length <= LONGEST_WHAT) return safeText;
  const missing = safeText.length - LONGEST_WHAT;
  return `${safeText.slice(0, LONGEST_WHAT).toWellFormed()}\n… ${missing} more characters`;
}

/** A chat is somebody else's server: nothing invisible, and nothing that looks like a secret. */
function readable(text: string): string {
  return visible(maskSecrets(text));
}
