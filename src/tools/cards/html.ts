/** Renders tool cards as one HTML page. */
import type { Card, CardInput } from './card';
import { escapeHtml } from '../../shared/text/visible';

const STYLE = `
:root { color-scheme: light dark; --line: #d0d7de; --soft: #57606a; --back: #f6f8fa; }
@media (prefers-color-scheme: dark) { :root { --line: #3d444d; --soft: #9198a1; --back: #151b23; } }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { font-size: 1.1rem; margin: 1.5rem 0 .3rem; }
.facts { color: var(--soft); margin-top: .2rem; } .destructive { color: #cf222e; font-weight: 600; }
code { background: var(--back); padding: .1em .3em; border-radius: 4px; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
section { border-top: 1px solid var(--line); margin-top: 2.5rem; }
`;

/** Cards as one page. The page loads no other resource and runs no script. */
export function cardsHtml(cards: readonly Card[], title = 'Tools'): string {
  const links = cards.map(({ name }) => `<a href="#${escapeHtml(name)}"><code>${escapeHtml(name)}</code></a>`).join(' · ');
  const body =
    cards.length === 1
      ? card(cards[0]!)
      : `<h1>${escapeHtml(title)}</h1><p>${links}</p>${cards.map((each) => `<section>${card(each)}</section>`).join('\n')}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${escapeHtml(cards.length === 1 ? cards[0]!.name : title)}</title>
<style>${STYLE}</style>
</head>
<body>
${body}
</body>
</html>
`;
}

function card(card: Card): string {
  const group = card.group === null ? '' : ` · group ${escapeHtml(card.group)}`;
  const { callTokens } = card;
  return [
    `<h1 id="${escapeHtml(card.name)}">${escapeHtml(card.name)}</h1>`,
    `<p class="facts">Version ${escapeHtml(card.version)} · class <span class="${card.class}">${card.class}</span>${group} · about ${card.definitionTokens} tokens in every request</p>`,
    ...card.says.map(({ label, text }) => `<p><strong>${escapeHtml(label)}.</strong> ${escapeHtml(text)}</p>`),
    list('What its class means', card.means.map(escapeHtml)),
    inputs(card.inputs),
    list(
      'What goes wrong most often',
      card.errors.map(({ code, reason, when }) => `<code>${escapeHtml(reason)}</code> (${code}): ${escapeHtml(when)}`),
    ),
    card.example === null ? '' : `<h2>Example</h2><p><code>${escapeHtml(card.example)}</code></p>`,
    list('Caution', card.caution.map(escapeHtml)),
    list(
      'Versions',
      card.changelog.map(({ version, what }) => `${escapeHtml(version)}: ${escapeHtml(what)}`),
    ),
    callTokens === null
      ? ''
      : `<p>A call costs about ${callTokens.input} tokens in, and ${callTokens.output.min} to ${callTokens.output.max} out (typically ${callTokens.output.typical}).</p>`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function list(title: string, items: string[]): string {
  return items.length === 0 ? '' : `<h2>${title}</h2><ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}

function inputs(rows: CardInput[]): string {
  if (rows.length === 0) return '<h2>Input</h2><p>None.</p>';
  const code = (text: string) => `<code>${escapeHtml(text)}</code>`;
  const lines = rows.map(({ name, type, required, limits, description, default: standard }) => {
    const cells = [
      code(name),
      `${escapeHtml(type)}${required ? ', required' : ''}`,
      limits.map(code).join(', '),
      standard === null ? '' : code(standard),
      escapeHtml(description),
    ];
    return `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  const head = ['field', 'type', 'limits', 'default', ''].map((cell) => `<th>${cell}</th>`).join('');
  return `<h2>Input</h2><div class="scroll"><table><thead><tr>${head}</tr></thead><tbody>${lines.join('')}</tbody></table></div>`;
}
