/** Commands and data on the pages: the command line takes each command, and each block of data can be read. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { parseAllDocuments } from 'yaml';
import { commandLine } from '../../../src/cli/commands';
import { ROOT } from '../../support/named-tests';
import { blocksOf, PAGES } from '../../support/pages';

const textOf = (page: string) => readFileSync(join(ROOT, page), 'utf8');

// docs/commands.md is made of the commands.
const BLOCKS = PAGES.filter((page) => page !== 'docs/commands.md').flatMap(blocksOf);

/** The words of each command of a line of the shell, without what it is given by others or passes on. */
function commandsIn(line: string): string[][] {
  const words = line.match(/#.*|&&|\|\|?|[<>]+ ?\S*|;|(?:'[^']*'|"(?:\\.|[^"\\])*"|\\.|[^\s'"|;&<>])+/g) ?? [];
  const commands: string[][] = [[]];
  for (const word of words) {
    if (word.startsWith('#')) break;
    if (/^(?:&&|\|\|?|;)$/.test(word)) commands.push([]);
    else if (!/^[<>]/.test(word)) commands.at(-1)!.push(word.replace(/'([^']*)'|"((?:\\.|[^"\\])*)"/g, '$1$2'));
  }
  return commands;
}

/** The arguments of `holdfast`, however it is called; null: the command is another program's. */
function argumentsOf(words: string[]): string[] | null {
  const command = words.filter(
    (word, index) => !(/^[A-Z_]+=/.test(word) && words.slice(0, index).every((each) => /^[A-Z_]+=/.test(each))),
  );
  const main = command.findIndex((word) => word === 'dist/cli/main.js');
  if (main !== -1) return command.slice(main + 1);
  const [first, second] = command;
  if (first === 'holdfast') return command.slice(1);
  return first === 'npx' && second === 'holdfast' ? command.slice(2) : null;
}

const written = BLOCKS.filter(({ language }) => language === 'sh' || language === '').flatMap(({ at, text }) =>
  text
    .replace(/\\\n/g, ' ')
    .split('\n')
    .flatMap(commandsIn)
    .flatMap((words) => {
      const args = argumentsOf(words);
      return args === null ? [] : [{ at, args }];
    }),
);

/** Takes nothing but usage from a command. */
function onlyRead(command: Command): void {
  command.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  command.action(() => {});
  command.commands.forEach(onlyRead);
}

async function parse(args: string[]): Promise<void> {
  const program = await commandLine(() => true);
  program.commands.forEach(onlyRead);
  program.exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  await program.parseAsync(args, { from: 'user' });
}

it.each(written)('$at: holdfast $args', ({ args }) => parse(args));

/** A sentence names a command, and may leave out what it is given. */
const LEFT_OUT = /^commander\.(help|helpDisplayed|missingArgument|optionMissingArgument|missingMandatoryOptionValue)$/;
const named = PAGES.flatMap((page) => {
  const found = [...textOf(page).matchAll(/`((?:npx )?holdfast [^`\n]*)`/g)].map(([, text]) => text!);
  // Brackets are around what may be left out; COMMAND and JSON stand for any.
  const commands = found
    .map((text) => text.replace(/[[\]]/g, '').replace(/ JSON\b/, ' 1'))
    .filter((text) => !text.includes('COMMAND'));
  return [...new Set(commands)].map((command) => ({ page, command }));
});

it.each(named)('$page: `$command`', async ({ command }) => {
  for (const words of commandsIn(command)) {
    const failure = await parse(argumentsOf(words) ?? ['help']).then(
      () => null,
      (error: { code?: string; message: string }) => error,
    );
    if (failure !== null && !LEFT_OUT.test(failure.code ?? '')) throw failure;
  }
});

it.each(BLOCKS.filter(({ language }) => language === 'json'))('$at: JSON', ({ text }) => {
  JSON.parse(text);
});

it.each(BLOCKS.filter(({ language }) => language === 'yaml'))('$at: YAML', ({ text }) => {
  expect(parseAllDocuments(text).flatMap((document) => ('errors' in document ? document.errors : []))).toEqual([]);
});

it('finds commands on many pages', () => {
  expect(new Set(written.map(({ at }) => at.split(':')[0])).size).toBeGreaterThan(15);
});
