/**
 * Keeps directories open, and opens files inside them by one plain name, as `openat` does in C. Node has no `openat`, but on Linux
 * `/proc/self/fd/<n>/name` does the same: the kernel starts at the open directory, wherever its path leads by now. Each step down
 * refuses links (`O_NOFOLLOW`). So no link, and no exchange of a directory for a link between check and use, leads out of the root.
 *
 * Where there is no /proc (macOS), a step goes by path, and the opened file is compared afterwards with the one at that path. Reads
 * are as safe, except against an attacker who hits two windows in a row; a write has a window of microseconds before its rename.
 * Use Linux where others write into the workspace.
 */
import { constants, existsSync } from 'node:fs';
import { lstat, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

const { O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
const OPEN_DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW;
/** Non-blocking: opening a FIFO for reading would otherwise wait for a writer. */
const OPEN_FILE = O_RDONLY | O_NOFOLLOW | O_NONBLOCK;

export const HAS_PROC_FD = existsSync('/proc/self/fd');

/** The opened file is not the one at its path. Thrown only without /proc. */
export class NotSameFile extends Error {}

export class Directory {
  private constructor(
    private readonly handle: FileHandle,
    /** Its path when it was opened; used where there is no /proc. */
    private readonly path: string,
    private readonly isAnchored: boolean,
  ) {}

  /** @param root resolved, so that none of its parts is a link */
  static async root(root: string, isAnchored = HAS_PROC_FD): Promise<Directory> {
    return new Directory(await open(root, OPEN_DIRECTORY), root, isAnchored);
  }

  /** A path for calls that take one: of this directory, or of one plain name in it. */
  at(name?: string): string {
    const self = this.isAnchored ? `/proc/self/fd/${this.handle.fd}` : this.path;
    return name === undefined ? self : `${self}/${name}`;
  }

  async directory(name: string): Promise<Directory> {
    return new Directory(await this.openAndVerify(name, OPEN_DIRECTORY), join(this.path, name), this.isAnchored);
  }

  /** For reading. The entry may be anything but a link: check its `stat` before use. */
  file(name: string): Promise<FileHandle> {
    return this.openAndVerify(name, OPEN_FILE);
  }

  /** A new file, for writing. */
  create(name: string, mode: number): Promise<FileHandle> {
    return this.openAndVerify(name, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | O_NOFOLLOW, mode);
  }

  lstat(name: string) {
    return lstat(this.at(name));
  }

  sync(): Promise<void> {
    return this.handle.sync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  private async openAndVerify(name: string, flags: number, mode?: number): Promise<FileHandle> {
    const handle = await open(this.at(name), flags, mode);
    if (this.isAnchored) return handle;
    try {
      const path = join(this.path, name);
      const [opened, real, there] = await Promise.all([handle.stat(), realpath(path), stat(path)]);
      if (real !== path || opened.ino !== there.ino || opened.dev !== there.dev) throw new NotSameFile(name);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  }
}
