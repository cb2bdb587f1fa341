/** `holdfast eval capture`: makes a case of a turn, or of a bundle of one. */
import { createReadStream, existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import type { Command } from 'commander';
import type { CaseFile } from '../audit/case-file';
import { errorMessage } from '../shared/text/error-message';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import type { Output } from './support/output';
import { withClient } from './support/with-client';

interface Options {
  into: string;
  name?: string;
  forbid?: string;
}

export function evalCapture(group: Command, output: () => Output): void {
  group
    .command('capture')
    .description(
      'Makes a case of what happened: the message, the results of the tools, the decisions of people, the calls that are expected, and the answers of the model.',
    )
    .argument('<turn>', 'its id, or the file of its bundle')
    .requiredOption('--into <folder>', 'the folder of cases; the case gets a folder of its own in it')
    .option('--name <name>', 'of the case; default: that of the file, or the id of the turn')
    .option(
      '--forbid <call>',
      'the case expects that this call does not run: 2.1, or 2.1:recipient,… to compare only these fields of its input',
    )
    .action(async (turn: string, { into, name, forbid }: Options) => {
      const { captureCase, writeCase } = await import('../evals/capture.js');
      const isFile = existsSync(turn);
      const file = isFile ? await bundleFile(turn) : await bundleOfTurn(turn);
      const one = captureCase(file, { forbid: forbid === undefined ? null : forbiddenOf(forbid) });
      const folder = join(into, caseName(name ?? (isFile ? basename(turn, extname(turn)) : turn)));
      await mkdir(into, { recursive: true });
      await writeCase(folder, one);
      const { fields, notes } = one;
      output().answer({ case: folder, agent: fields.agent, notes }, [
        `${folder}/case.yaml  agent ${fields.agent}: ${oneLine(fields.message)}`,
        ...notes.map((note) => `  ! ${oneLine(note, 300)}`),
        `It runs with the recorded answers of the model: holdfast eval run ${into} --app FILE. Another model: --model NAME.`,
      ]);
    });
}

async function bundleFile(path: string): Promise<CaseFile> {
  const { readCaseFile } = await import('../audit/case-file/index.js');
  try {
    return await readCaseFile(createReadStream(path));
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

async function bundleOfTurn(turn: string): Promise<CaseFile> {
  const { readCaseFile } = await import('../audit/case-file/index.js');
  return withClient(async (client) => {
    const { id } = await client.turnNamed(turn);
    const lines: Buffer[] = [];
    for await (const line of client.bundle({ turn: id }, { chained: false })) lines.push(Buffer.from(line));
    return readCaseFile(lines);
  });
}

function forbiddenOf(text: string): { call: string; fields: string[] | null } {
  const found = /^(\d+\.\d+)(?::(.+))?$/.exec(text);
  if (found === null) throw new UsageError(`--forbid ${JSON.stringify(text)} is no call such as 2.1 or 2.1:recipient.`);
  const [, call, fields] = found;
  return { call: call!, fields: fields?.split(',') ?? null };
}

/** One folder. @throws UsageError */
function caseName(text: string): string {
  const name = text.replace(/[^\w.-]/g, '-');
  if (/^\.*$/.test(name)) throw new UsageError(`--name ${JSON.stringify(text)} is no name of a case.`);
  return name;
}
