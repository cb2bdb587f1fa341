/** `holdfast tools cards`: writes a data sheet for each tool. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Option, type Command } from 'commander';
import { toolCard } from '../tools/cards/card';
import { cardsHtml } from '../tools/cards/html';
import { cardMarkdown } from '../tools/cards/markdown';
import type { Output } from './support/output';
import { toolbox, withToolbox, type ToolboxOptions } from './support/toolbox';

interface CardsOptions extends ToolboxOptions {
  format: 'md' | 'html';
  output?: string;
}

export function toolsCards(tools: Command, output: () => Output): void {
  withToolbox(tools.command('cards'))
    .description('A data sheet for each tool: inputs, limits, commonest errors, cautions.')
    .addOption(new Option('--format <format>', 'how').choices(['md', 'html']).default('md'))
    .option('-o, --output <folder>', 'a file for each tool, and index; default: all on standard output')
    .action(async ({ format, output: folder, ...options }: CardsOptions) => {
      const cards = (await toolbox(options)).tools.map(({ tool }) => toolCard(tool));
      const markdown = () => cards.map(cardMarkdown).join('\n');
      if (folder === undefined) {
        output().answer(cards, (format === 'md' ? markdown() : cardsHtml(cards)).trimEnd().split('\n'));
        return;
      }
      mkdirSync(folder, { recursive: true });
      const files = cards.map((card) => ({
        name: `${card.name}@${card.version}.${format}`,
        text: format === 'md' ? cardMarkdown(card) : cardsHtml([card]),
      }));
      files.push({ name: `index.${format}`, text: format === 'md' ? markdown() : cardsHtml(cards) });
      for (const { name, text } of files) writeFileSync(join(folder, name), text);
      output().answer({ folder, files: files.map(({ name }) => name) }, [`${files.length} files in ${folder}`]);
    });
}
