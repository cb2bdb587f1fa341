/** SHA-256 over names and contents of files and folders, to detect changes since the last time. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} root
 * @param {string[]} names files or folders below root; what does not exist counts as missing, not as an error
 * @returns {string} lower-case hex
 */
export function fingerprint(root, names) {
  const hash = createHash('sha256');
  for (const name of names) add(hash, root, name);
  return hash.digest('hex');
}

function add(hash, root, name) {
  const path = join(root, name);
  if (!existsSync(path)) return void hash.update(`missing ${name}\n`);
  if (statSync(path).isDirectory()) {
    for (const entry of readdirSync(path).sort()) add(hash, root, `${name}/${entry}`);
    return;
  }
  const content = readFileSync(path);
  hash.update(`${name} ${content.length}\n`).update(content);
}

/** The text of a stamp file, or null. */
export function readStamp(path) {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch {
    return null;
  }
}
