/** What a card says will happen, as lines of plain text. */
import { visible } from '../shared/visible';

/** All of it, without what only the Web UI needs. */
export function cardLines(card: string): string[] {
  const lines: string[] = [];
  let fence: string | null = null;
  let shown = true;
  for (const line of visible(card).split('\n')) {
    const ticks = /^`{3,}/.exec(line)?.[0] ?? null;
    if (fence !== null) {
      if (line === fence) fence = null;
      else if (shown) lines.push(`  ${line}`);
      continue;
    }
    if (ticks !== null) {
      fence = ticks;
      continue;
    }
    if (line.startsWith('### ')) shown = line !== '### Decide';
    // The paste for a settlement: the command stands below.
    if (line.startsWith('Look at the other side')) shown = false;
    if (shown && line.trim() !== '' && !line.startsWith('## ')) lines.push(line.replace(/^### /, ''));
  }
  return lines;
}
