/** `holdfast audit verify`: checks bundles offline, and whether each follows the one before. */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { InvalidArgumentError, type Command } from 'commander';
import type { TrustEntry } from '../attestation/trusted-keys';
import { isEncrypted } from '../audit/format/whole-file';
import { verifyBundle, type Verification } from '../audit/verify';
import { chainFaults } from '../audit/verify/chain';
import { describeVerification } from '../audit/verify/sentence';
import { readTombstones, type Tombstones } from '../audit/verify/tombstones';
import { forMachines } from '../audit/verify/verification';
import { optional } from '../shared/json/optional';
import { visible } from '../shared/text/visible';
import { EXIT, Exit, UsageError } from './support/exit';
import type { Decrypt } from './support/decrypt-bundle';
import type { Output } from './support/output';
import { trustFile } from './support/trust-file';
import { errorMessage } from '../shared/text/error-message';

interface Options {
  trust?: string;
  after?: string;
  tombstones?: string;
  identity?: string;
  requireReceipt?: true;
}

const NO_TOMBSTONES: Tombstones = { gone: new Map(), faults: [] };
/** Bytes per read. */
const CHUNK = 1024 * 1024;

export function auditVerify(audit: Command, output: () => Output): void {
  const command = audit
    .command('verify')
    .option('--identity <file>', 'for bundles that are encrypted with age: the file of the identity, as age-keygen writes it');
  verifyCommand(command, output, async (file) => (await import('./support/decrypt-bundle.js')).decryptBy(file));
}

/**
 * Makes a command the one that verifies bundles: `holdfast audit verify`, or the whole program of `@holdfast/verify`.
 * @param decryptBy null: `--identity` is not offered
 */
export function verifyCommand(
  command: Command,
  output: () => Output,
  decryptBy: ((identityFile: string) => Promise<Decrypt>) | null = null,
): void {
  command
    .description(
      'Verifies bundles offline, with the keys that you trust. Exit 0: intact; 1: not intact, or the signer is unknown; 2: unreadable.',
    )
    .argument('<file...>', 'several: each must follow the one before; - for standard input')
    .option('--trust <file>', 'the keys that you trust, as `holdfast keys export` prints them')
    .option('--after <root>', 'the root that the first bundle must follow', root)
    .option('--tombstones <file>', 'of bundles that were deleted between them: tombstones.jsonl of the kept bundles')
    .option('--require-receipt', 'not intact without a receipt of a witness or a timestamp authority that you trust')
    .action(async (files: string[], { trust, after, tombstones, identity, requireReceipt }: Options) => {
      const decrypt = identity === undefined || decryptBy === null ? null : await decryptBy(identity);
      const keys = await trustFile(trust);
      const answers: (Verification & { file: string })[] = [];
      for (const file of files) answers.push({ file, ...(await verifyFile(file, keys, decrypt, optional({ requireReceipt }))) });
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

async function verifyFile(
  file: string,
  keys: readonly TrustEntry[],
  decrypt: Decrypt | null,
  options: { requireReceipt?: true },
): Promise<Verification> {
  const source = file === '-' ? process.stdin : createReadStream(file, { highWaterMark: CHUNK });
  try {
    return await verifyBundle(plainOf(source, file, decrypt), keys, options);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The bundle ${file} cannot be read: ${errorMessage(error)}`);
  }
}

/** @throws UsageError for an encrypted file without an identity */
async function* plainOf(source: AsyncIterable<Buffer>, file: string, decrypt: Decrypt | null): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) return;
  const all = (async function* () {
    yield first.value;
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  })();
  if (!isEncrypted(first.value.subarray(0, 40).toString('latin1'))) yield* all;
  else if (decrypt === null)
    throw new UsageError(
      `The bundle ${file} is encrypted with age, to a key of its auditor: decrypt it with \`age -d -i IDENTITY ${file === '-' ? '' : file}\`, or name the file of the identity: \`holdfast audit verify --identity FILE\`.`,
    );
  else yield* decrypt(all);
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
