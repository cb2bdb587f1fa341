/**
 * Replaces a file as a whole or not at all: it writes a temporary file in the same open directory, flushes it, and renames it over
 * the old one. A new file is linked into place, which fails if another writer was faster. This process writes a file once at a
 * time; against other processes, the file is compared once more right before the rename.
 */
import { randomBytes } from 'node:crypto';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { hasCode, isToolError } from 'holdfast/tools';
import type { Directory } from './directory';
import { sha256 } from './text';
import { joinNames, type Names } from './path';
import { invalid, notPlain } from './refusals';
import type { FileContent, Workspace } from './workspace';

/**
 * Reads the file, lets `decide` compute the new content, and replaces the old one with it.
 * @param decide gets null if there is no file; returns null to change nothing
 */
export async function replaceFile(
  workspace: Workspace,
  path: Names,
  decide: (before: Buffer | null) => Uint8Array | null | Promise<Uint8Array | null>,
  options: { create: boolean; signal: AbortSignal },
): Promise<void> {
  refuseGitPath(path);
  await oneAtATime(`${workspace.root}${joinNames(path)}`, () =>
    workspace
      .inDirectory(
        path.slice(0, -1),
        async (directory) => {
          const before = await present(workspace, directory, path);
          const after = await decide(before?.bytes ?? null);
          options.signal.throwIfAborted();
          if (after) await put(workspace, directory, path, { before, after, signal: options.signal });
        },
        { create: options.create, whole: path },
      )
      .catch((error: unknown) => {
        if (hasCode(error, 'ENOENT')) throw folderRemovedError(path);
        throw workspace.outsideOr(error, path);
      }),
  );
}

/** Git runs files of its folder (hooks, filters) at a later command: to write there would run code without approval. */
function refuseGitPath(path: Names): void {
  if (path.length === 0) throw notPlain('/', 'a directory');
  if (path.some((name) => name.toLowerCase() === '.git')) {
    throw invalid(
      'protected_path',
      `${joinNames(path)} belongs to git, and is not written by file tools.`,
      'Use git through bash.',
    );
  }
}

async function present(workspace: Workspace, directory: Directory, path: Names): Promise<FileContent | null> {
  try {
    return await workspace.readIn(directory, path);
  } catch (error) {
    const reason = isToolError(error) ? error.detail.reason : null;
    if (reason === 'file_not_found') return null;
    if (reason === 'hard_link' && (await removeLeftovers(directory, path.at(-1)!))) return workspace.readIn(directory, path);
    throw error;
  }
}

/** The temporary file is a second name of a new file until it is removed: where the process died in between, it still is. */
async function removeLeftovers(directory: Directory, name: string): Promise<boolean> {
  const file = await directory.lstat(name);
  let removed = false;
  for (const other of await readdir(directory.at())) {
    if (!TEMP.test(other)) continue;
    const { ino, dev } = await directory.lstat(other);
    if (ino !== file.ino || dev !== file.dev) continue;
    await rm(directory.at(other), { force: true });
    removed = true;
  }
  return removed;
}

const TEMP = /^\.holdfast-[0-9a-f]{24}\.tmp$/;

async function put(
  workspace: Workspace,
  directory: Directory,
  path: Names,
  { before, after, signal }: { before: FileContent | null; after: Uint8Array; signal: AbortSignal },
): Promise<void> {
  const name = path.at(-1)!;
  const temp = `.holdfast-${randomBytes(12).toString('hex')}.tmp`;
  const file = await directory.create(temp, 0o666);
  try {
    try {
      await file.writeFile(after);
      if (before) await file.chmod(before.mode);
      await file.sync();
    } finally {
      await file.close();
    }
    const now = await present(workspace, directory, path);
    if ((now && sha256(now.bytes)) !== (before && sha256(before.bytes))) throw changedMeanwhile(path);
    signal.throwIfAborted(); // the disk may have been slow
    if (before) await rename(directory.at(temp), directory.at(name));
    else await linkNew(directory, temp, name, path);
  } finally {
    await rm(directory.at(temp), { force: true });
  }
  await directory.sync();
}

async function linkNew(directory: Directory, temp: string, name: string, path: Names): Promise<void> {
  try {
    await link(directory.at(temp), directory.at(name));
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw changedMeanwhile(path);
    if (!hasCode(error, 'EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS')) throw error;
    await rename(directory.at(temp), directory.at(name)); // a file system without hard links
  }
}

function changedMeanwhile(path: Names): Error {
  return invalid('file_changed', `${joinNames(path)} was changed by somebody else at this moment.`, 'Read it again.');
}

/** The open directory itself was removed: nothing can be created in it, and nothing was. */
function folderRemovedError(path: Names): Error {
  return invalid(
    'folder_removed',
    `The folder of ${joinNames(path)} was removed or replaced at this moment.`,
    'Look again with glob.',
  );
}

const writing = new Map<string, Promise<unknown>>();

async function oneAtATime<T>(key: string, work: () => Promise<T>): Promise<T> {
  const before = writing.get(key);
  const mine = (before ?? Promise.resolve()).then(work, work);
  writing.set(key, mine);
  try {
    return await mine;
  } finally {
    if (writing.get(key) === mine) writing.delete(key);
  }
}
