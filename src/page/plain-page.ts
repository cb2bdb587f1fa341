/** A page without scripts, for what has to be said where the real page is not there: it is not built, or a sign-in has failed. */
import type { FastifyReply } from 'fastify';
import { escapeHtml } from '../shared/text/visible';
import { PAGE_HEADERS } from './headers';

export interface PlainPage {
  status: number;
  title: string;
  /** Plain text, one entry a paragraph. */
  paragraphs: readonly string[];
  /** Relative, or of the settings. */
  link?: { href: string; text: string };
}

export function sendPlainPage(reply: FastifyReply, { status, title, paragraphs, link }: PlainPage): FastifyReply {
  const text = paragraphs.map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`).join('\n');
  const more = link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>\n`;
  return reply
    .code(status)
    .headers(PAGE_HEADERS)
    .header('cache-control', 'no-store')
    .type('text/html; charset=utf-8')
    .send(
      `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">` +
        `<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)} · holdfast</title></head>\n` +
        `<body>\n<main>\n<h1>${escapeHtml(title)}</h1>\n${text}\n${more}</main>\n</body>\n</html>\n`,
    );
}
