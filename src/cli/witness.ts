/** `holdfast witness`: takes down the roots of bundles in an append-only log, with a key of its own. Runs on a host of its own. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Command } from 'commander';
import { SigningKey } from '../attestation/signing-key';
import { isHash } from '../shared/json/sha256';
import { UsageError } from './support/exit';
import { newToken } from './support/new-token';
import { portNumber } from './support/numbers';
import type { Output } from './support/output';
import { untilStopped } from './support/until-stopped';
import { writeFileWhole } from './support/write-file';

interface Options {
  folder: string;
  host: string;
  port: number;
  newToken?: true;
}

const DEFAULT_PORT = 8490;
const KEY = 'key.pem';
const LOG = 'log.jsonl';

export function witness(program: Command, output: () => Output): void {
  program
    .command('witness')
    .description('Runs a witness of bundles: an append-only Merkle log with a key of its own. Ctrl-C ends it (docs/witness.md).')
    .requiredOption('--folder <folder>', 'its key, its log and the hashes of its tokens; made if it is not there')
    .option('--host <name>', 'address to listen at', '127.0.0.1')
    .option('--port <n>', 'port; 0: any free one', portNumber, DEFAULT_PORT)
    .option('--new-token', 'makes a token for a client, prints it once, and ends')
    .action(async ({ folder, host, port, newToken: makeToken }: Options) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const tokensPath = join(folder, 'tokens.json');
      const tokens = await tokensIn(tokensPath);
      if (makeToken) {
        const { token, entry } = newToken('witness', []);
        await writeFileWhole(tokensPath, `${JSON.stringify([...tokens, entry.token_sha256], null, 2)}\n`);
        output().answer({ token }, [`HOLDFAST_WITNESS_TOKEN=${token}`, 'A witness that runs must be started again.']);
        return;
      }
      if (tokens.length === 0) throw new UsageError('Nobody could add an entry: make a token first, with --new-token.');
      const stopped = untilStopped();
      const key = await keyIn(folder);
      const [{ WitnessLog }, { serveWitness }] = await Promise.all([import('../witness/log.js'), import('../witness/server.js')]);
      const log = await WitnessLog.open(join(folder, LOG), key);
      const running = await serveWitness({ log, tokens }, { host, port });
      const created_at = (await stat(join(folder, KEY))).mtime.toISOString();
      const entry = { kid: key.kid, public: key.public, use: 'witness', created_at };
      output().answer({ pid: process.pid, url: running.url, size: log.head.size, trust: entry }, [
        `witness ${process.pid}: ${running.url}; ${log.head.size} entries`,
        'for the trust file of auditors:',
        JSON.stringify(entry),
      ]);
      await stopped;
      await running.close();
    });
}

/** A witness that has lost its key does not begin with another beside its old log. */
async function keyIn(folder: string): Promise<SigningKey> {
  const path = join(folder, KEY);
  if (existsSync(path)) return SigningKey.read(path);
  if (existsSync(join(folder, LOG)))
    throw new UsageError(
      `There is no ${path}, and the log beside it was signed with it: bring it back, or begin in another folder.`,
    );
  const key = SigningKey.generate();
  return (await key.save(path)) ? key : SigningKey.read(path);
}

async function tokensIn(path: string): Promise<string[]> {
  if (!existsSync(path)) return [];
  const list: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!Array.isArray(list) || !list.every(isHash)) throw new UsageError(`${path} must be a JSON list of SHA-256 hashes.`);
  return list;
}
