/** `holdfast keys rotate`: adds a key to the key ring of the encryption, and makes it the one that writes. */
import { chown, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { KEY_ID, readRingJson, rotate, type KeyRingJson } from '../encryption/key-ring';
import { hasCode, replaceFile } from '../store/files/atomic-file';
import { optional } from '../shared/json/optional';
import { UsageError } from './support/exit';
import type { Output } from './support/output';

interface RotateOptions {
  ring?: string;
  id?: string;
  add?: true;
}

export function rotateCommand(keys: Command, output: () => Output): void {
  keys
    .command('rotate')
    .description(
      'Adds a key to the key ring that encrypts payloads and the store, and makes it the one that writes. Makes the ring if there is none. Keys that were there still read.',
    )
    .option('--ring <file>', 'the key ring; default: HOLDFAST_CODEC_KEYS')
    .option('--id <id>', 'of the new key, or of a key of the ring, which then writes from now on; default: today')
    .option('--add', 'adds the key for reading only: for processes with copies of the ring, of which each must read it first')
    .action(async ({ ring: file, id, add }: RotateOptions) => {
      const path = file ?? ringOfSettings();
      if (id !== undefined && !KEY_ID.test(id))
        throw new UsageError(
          `--id ${JSON.stringify(id.slice(0, 80))} must be 1 to 64 letters, digits, dots, dashes and underscores.`,
        );
      const before = await readRing(path);
      const owner = await ownerOf(resolve(path));
      const rotated = rotate(before, { ...optional({ id }), writes: add === undefined, now: new Date() });
      const folder = dirname(resolve(path));
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await replaceFile(folder, resolve(path), Buffer.from(`${JSON.stringify(rotated.ring, null, 2)}\n`));
      if (owner !== null) await chown(resolve(path), owner.uid, owner.gid);
      const { current, keys: all } = rotated.ring;
      output().answer({ ring: path, id: rotated.id, new: rotated.isNew, current, keys: Object.keys(all) }, [
        `${rotated.isNew ? 'new key' : 'key'} ${rotated.id} in ${path}${before === null ? ', a new ring: keep a copy where its data is not' : ''}`,
        current === null ? '  no key writes yet: everything stays plain' : `  ${current} writes; ${Object.keys(all).length} read`,
      ]);
    });
}

/** @throws UsageError for a ring that is no file */
function ringOfSettings(): string {
  const { codecKeys } = loadConfig();
  if (typeof codecKeys === 'string') return codecKeys;
  throw new UsageError(
    codecKeys === null
      ? 'Which key ring? Set HOLDFAST_CODEC_KEYS, or give --ring FILE.'
      : 'The ring comes from a command (HOLDFAST_CODEC_KEYS_COMMAND): rotate it where that command reads it, or give --ring FILE.',
  );
}

/**
 * Null: the file is this user's, or there is none. Workers that run as its owner could not read a ring of another user.
 * @throws UsageError for a file of another user, which only root may give back
 */
async function ownerOf(path: string): Promise<{ uid: number; gid: number } | null> {
  const found = await stat(path).catch(() => null);
  const own = process.getuid?.();
  if (found === null || own === undefined || found.uid === own) return null;
  if (own !== 0) throw new UsageError(`${path} belongs to user ${found.uid}, and must stay so: run this as that user.`);
  return found;
}

/** Null: there is none yet. @throws BadKeyRing */
async function readRing(path: string): Promise<KeyRingJson | null> {
  try {
    return readRingJson(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
