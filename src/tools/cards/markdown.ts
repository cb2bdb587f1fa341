/** Renders a tool card as Markdown. */
import { inlineCode, visible } from '../../shared/text/visible';
import type { Card, CardInput } from './card';

/** A tool card as Markdown. The tool's texts are escaped: a reader never interprets them as markup. */
export function cardMarkdown(card: Card): string {
  const lines = [
    `# ${plain(card.name)}`,
    '',
    `Version ${plain(card.version)} · class **${card.class}**${card.group === null ? '' : ` · group ${plain(card.group)}`} · about ${card.definitionTokens} tokens in every request`,
    ...card.says.flatMap(({ label, text }) => ['', `**${label}.** ${plain(text)}`]),
    ...list('What its class means', card.means),
    ...inputs(card.inputs),
    ...list(
      'What goes wrong most often',
      card.errors.map(({ code, reason, when }) => `${inlineCode(reason)} (${code}): ${plain(when)}`),
      (line) => line,
    ),
    ...(card.example === null ? [] : ['', '## Example', '', inlineCode(card.example)]),
    ...list('Caution', card.caution),
    ...list(
      'Versions',
      card.changelog.map(({ version, what }) => `${plain(version)}: ${plain(what)}`),
      (line) => line,
    ),
    ...(card.callTokens === null ? [] : ['', callTokens(card.callTokens)]),
  ];
  return `${lines.join('\n')}\n`;
}

function callTokens({ input, output }: NonNullable<Card['callTokens']>): string {
  return `A call costs about ${input} tokens in, and ${output.min} to ${output.max} out (typically ${output.typical}).`;
}

function list(title: string, items: string[], show = plain): string[] {
  return items.length === 0 ? [] : ['', `## ${title}`, '', ...items.map((item) => `- ${show(item)}`)];
}

function inputs(rows: CardInput[]): string[] {
  if (rows.length === 0) return ['', '## Input', '', 'None.'];
  const lines = rows.map(({ name, type, required, limits, description, default: standard }) => {
    const cells = [
      inlineCode(name),
      `${type}${required ? ', required' : ''}`,
      limits.map(inlineCode).join(', '),
      standard === null ? '' : inlineCode(standard),
      plain(description),
    ];
    return `| ${cells.map((cell) => cell.replace(/(?<!\\)\|/g, '\\|')).join(' | ')} |`;
  });
  return ['', '## Input', '', '| field | type | limits | default | |', '|---|---|---|---|---|', ...lines];
}

/** Escapes a text: one line, without markup. */
function plain(text: string): string {
  return visible(text)
    .replace(/\s+/g, ' ')
    .replace(/[\\`*_[\]<>|#~&]/g, '\\$&')
    .trim();
}
