/** `holdfast audit verify`: checks bundles offline, and whether each follows the one before. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { TrustEntry } from '../attestation/trusted-keys';
import { verifyBundle, type Verification } from '../audit/verify';
import { chainFaults } from '../audit/verify/chain';
import { describeVerification } from '../audit/verify/sentence';
import { readTombstones, type Tombstones } from '../audit/verify/tombstones';
import { forMachines } from '../audit/verify/verification';
import { optional } from '../shared/json/optional';
import { visible } from '../shared/text/visible';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Output } from './support/output';
import { trustFile } from './support/trust-file';
import { errorMessage } from '../shared/text/error-message';

interface Options {
  trust?: string;
  after?: string;
  tombstones?: string;
  requireReceipt?: true;
}

const NO_TOMBSTONES: Tombstones = { gone: new Map(), faults: [] };
/** Bytes per read. */
const CHUNK = 1024 * 1024;

export function auditVerify(audit: Command, output: () => Output): void {
  verifyCommand(audit.command('verify'), output);
}

/** Makes a command the one that verifies bundles: `holdfast audit verify`, or the whole program of `@holdfast/verify`. */
export function verifyCommand(command: Command, output: () => Output): void {
  command
    .description(
      'Verifies bundles offline, with the keys that you trust. Exit 0: intact; 1: not intact, or the signer is unknown; 2: unreadable.',
    )
    .argument('<file...>', 'several: each must follow the one before; - for standard input')
    .option('--trust <file>', 'the keys that you trust, as `holdfast keys export` prints them')
    .option('--after <root>', 'the root that the first bundle must follow', root)
    .option('--tombstones <file>', 'of bundles that were deleted between them: tombstones.jsonl of the kept bundles')
    .option('--require-receipt', 'not intact without a receipt of a witness or a timestamp authority that you trust')
    .action(async (files: string[], { trust, after, tombstones, requireReceipt }: Options) => {
      const keys = await trustFile(trust);
      const answers: (Verification & { file: string })[] = [];
      for (const file of files) answers.push({ file, ...(await verifyFile(file, keys, { ...optional({ requireReceipt }) })) });
      const links = answers.filter(({ verdict }) => verdict !== 'broken').map((answer) => ({ ...answer, name: answer.file }));
      const { gone, faults } = tombstones === undefined ? NO_TOMBSTONES : readTombstones(await textOf(tombstones), keys);
      const chain = [...faults, ...chainFaults(links, after ?? null, gone)];
      const lines = answers.flatMap((answer) => describe(answer));
      const results = answers.map(({ file, ...answer }) => ({ file, ...forMachines(answer) }));
      const value = files.length === 1 ? { ...results[0], chain } : { bundles: results, chain };
      output().answer(value, [...lines, ...chain.map(visible)]);
      if (chain.length > 0 || answers.some(({ verdict }) => verdict !== 'intact')) throw new Exit(EXIT.failed);
    });
}

function describe({ file, ...answer }: Verification & { file: string }): string[] {
  const [first, ...more] = describeVerification(answer).map(visible);
  return [`${file}: ${first}`, ...more.map((line) => `  ${line}`)];
}

async function verifyFile(file: string, keys: readonly TrustEntry[], options: { requireReceipt?: true }): Promise<Verification> {
  try {
    return await verifyBundle(file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK }), keys, options);
  } catch (error) {
    throw new UsageError(`The bundle ${file} cannot be read: ${errorMessage(error)}`);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`The tombstones ${file} cannot be read: ${errorMessage(error)}`);
  }
}

function root(text: string): string {
  if (!/^[0-9a-f]{64}$/.test(text)) throw new InvalidArgumentError('a root is 64 lower-case hex characters');
  return text;
}
