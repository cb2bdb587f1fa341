/** `npm run bench`: what a turn costs, each figure beside something measured in the same run. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { history } from './history';
import { historyTable, speedTable, waitingTable } from './report';
import { speed } from './speed';
import { waiting } from './waiting';

const PARTS = ['speed', 'history', 'waiting'] as const;
type Part = (typeof PARTS)[number];

const positive = (text: string): number => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new InvalidArgumentError('It must be a number from 1 to 999999.');
  return Number(text);
};
const part = (text: string): Part => {
  if (!(PARTS as readonly string[]).includes(text)) throw new InvalidArgumentError(`It must be one of ${PARTS.join(', ')}.`);
  return text as Part;
};

const program = new Command('npm run bench --')
  .description('Measures turn overhead, growth of history, and turns that wait; prints tables, and writes the figures as JSON.')
  .argument('[part]', `${PARTS.join(', ')}; default: all`, part)
  .option('--turns <n>', 'speed: turns one after the other, each cell', positive, 100)
  .option('--at-once <n>', 'speed: turns at once', positive, 50)
  .option('--load-turns <n>', 'speed: turns of a round with many at once', positive, 150)
  .option('--waiting <n>', 'waiting: turns that wait', positive, 1000)
  .option('--out <file>', 'where the figures go', '.holdfast/bench/latest.json')
  .parse();

const say = (line: string): void => void process.stderr.write(`${line}\n`);
const options = program.opts<{ turns: number; atOnce: number; loadTurns: number; waiting: number; out: string }>();
const [only] = program.processedArgs as [Part | undefined];

async function main(): Promise<void> {
  const figures: Record<string, unknown> = { node: process.version, cpus: cpus().length, at: new Date().toISOString() };
  for (const name of PARTS.filter((candidate) => only === undefined || candidate === only)) {
    say(`${name}:`);
    if (name === 'speed') console.log(speedTable((figures.speed = await speed(options, say)) as never));
    if (name === 'history') console.log(historyTable((figures.history = await history(say)) as never));
    if (name === 'waiting') console.log(waitingTable((figures.waiting = await waiting(options.waiting, say)) as never));
  }
  mkdirSync(dirname(options.out), { recursive: true });
  writeFileSync(options.out, `${JSON.stringify(figures, null, 2)}\n`);
  say(`Figures: ${options.out}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
