/**
 * Posts to a Slack channel by an incoming webhook. Every text is `plain_text`, which has no markup, and `&`, `<` and `>` are escaped
 * as Slack asks for, since these begin mentions and links in any text: what a model wrote can neither call people nor link anywhere.
 */
import { postJson } from './post';
import type { Summary } from './summary';

/** Slack's limits, characters after escaping. */
const HEADER = 150;
const SECTION = 3_000;
const FIELD = 2_000;

/** @param url an incoming webhook; its path is a secret. @throws Error that names only the host */
export function postSlack(url: string, summary: Summary): Promise<void> {
  return postJson(url, { body: JSON.stringify(slackMessage(summary)) });
}

export function slackMessage({ title, what, facts, note, link }: Summary): object {
  const fields = facts.map(([name, value]) => plain(`${name}\n${value}`, FIELD));
  return {
    text: escapeText(title, SECTION), // of the notification on a phone
    mrkdwn: false,
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'header', text: plain(title, HEADER) },
      { type: 'section', text: plain(what, SECTION) },
      { type: 'section', fields },
      { type: 'context', elements: [plain(note, SECTION)] },
      ...(link === null ? [] : [{ type: 'actions', elements: [{ type: 'button', text: plain(link.title, 75), url: link.url }] }]),
    ],
  };
}

function plain(text: string, most: number): object {
  return { type: 'plain_text', text: escapeText(text, most), emoji: false };
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** An escaped character is never cut in half. Slack refuses an empty text. */
function escapeText(text: string, most: number): string {
  let out = '';
  for (const char of text === '' ? ' ' : text) {
    const next = ENTITIES[char] ?? char;
    if (out.length + next.length > most - 1) return `${out}…`;
    out += next;
  }
  return out;
}
