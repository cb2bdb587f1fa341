/**
 * Posts to a Microsoft Teams channel by a webhook of Workflows: a message with an Adaptive Card. Texts are runs of a `RichTextBlock`,
 * which has no markup; `TextBlock` and `FactSet` would read Markdown. Without `msteams.entities` nobody can be mentioned.
 */
import { postJson } from './post';
import type { Summary } from './summary';

/** @param url of a workflow that posts what it receives; its query has a signature, which is a secret. @throws Error that names only the host */
export function postTeams(url: string, summary: Summary): Promise<void> {
  return postJson(url, { body: JSON.stringify(teamsMessage(summary)) });
}

export function teamsMessage({ title, what, facts, note, link }: Summary): object {
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body: [
      texts([{ text: title, weight: 'Bolder', size: 'Medium' }]),
      texts([{ text: what, fontType: 'Monospace' }]),
      ...facts.map(([name, value]) => texts([{ text: `${name}: `, weight: 'Bolder' }, { text: value }])),
      texts([{ text: note, isSubtle: true }]),
    ],
    actions: link === null ? [] : [{ type: 'Action.OpenUrl', title: link.title, url: link.url }],
  };
  return {
    type: 'message',
    attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }],
  };
}

interface Run {
  text: string;
  weight?: 'Bolder';
  size?: 'Medium';
  fontType?: 'Monospace';
  isSubtle?: true;
}

function texts(runs: Run[]): object {
  return { type: 'RichTextBlock', inlines: runs.map((run) => ({ type: 'TextRun', ...run, text: inert(run.text) })) };
}

/** Cards replace `{{DATE(…)}}` and `{{TIME(…)}}` by a local time, wherever they stand, and flows evaluate `@{…}`. */
function inert(text: string): string {
  return text.replace(/[{@](?=\{)/g, '$& ') || ' ';
}
