/** The workspace: one root directory. All access to its files goes through this class. */
import { realpathSync, statSync } from 'node:fs';
import { mkdir, type FileHandle } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { hasCode } from 'holdfast/tools';
import { Directory } from './directory';
import { joinNames, type Names } from './path';
import { invalid, notFound, notPlain, whyNot } from './refusals';

/** Larger files are not read whole, bytes. */
export const LARGEST_FILE = 16 * 1024 * 1024;

export interface FileContent {
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
}

/** What a thread needs to open the same workspace. */
export interface WorkspacePlace {
  root: string;
  hardLinks: boolean;
  anchored?: boolean;
}

/** Top folders of a machine: a path that begins with one of them is hardly meant for the workspace. */
const OF_THE_MACHINE = /^\/(?:etc|proc|sys|dev|root|home|usr|var|tmp|boot|run|opt|mnt|media|sbin|Users|private)\//;

export class Workspace {
  /** Absolute, links resolved. */
  readonly root: string;

  /**
   * @param root an existing directory, absolute
   * @param hardLinks read files that have more than one name, too (another name may lie outside)
   * @throws Error that says what is wrong with the root
   */
  constructor(
    root: string,
    private readonly hardLinks: boolean,
    private readonly isAnchored?: boolean,
  ) {
    if (process.platform === 'win32')
      throw new Error('workspaceTools: Windows is not supported; run the worker on Linux or macOS.');
    if (typeof root !== 'string' || !isAbsolute(root))
      throw new Error(`workspaceTools: root must be an absolute path, and is ${JSON.stringify(root)}`);
    if (!statSync(root, { throwIfNoEntry: false })?.isDirectory())
      throw new Error(`workspaceTools: root ${root} is not a directory; make it first`);
    this.root = realpathSync.native(root);
    if (this.root === '/') throw new Error('workspaceTools: root must not be the whole machine (/)');
  }

  static at({ root, hardLinks, anchored }: WorkspacePlace): Workspace {
    return new Workspace(root, hardLinks, anchored);
  }

  get place(): WorkspacePlace {
    const { root, hardLinks, isAnchored: anchored } = this;
    return { root, hardLinks, ...(anchored === undefined ? {} : { anchored }) };
  }

  /**
   * Runs `work` with the directory open. `create` makes missing directories on the way; `whole` is the requested path, for errors.
   */
  async inDirectory<T>(
    names: Names,
    work: (directory: Directory) => Promise<T>,
    { create = false, whole = names }: { create?: boolean; whole?: Names } = {},
  ): Promise<T> {
    let directory = await Directory.root(this.root, this.isAnchored);
    try {
      for (const [index, name] of names.entries()) {
        if (create) await this.makeDirectory(directory, names, index);
        const next = await directory.directory(name).catch(async (error: unknown) => {
          throw await whyNot(error, this.root, directory, whole, index);
        });
        await directory.close();
        directory = next;
      }
      return await work(directory);
    } finally {
      await directory.close();
    }
  }

  /** Content of a regular file. @throws ToolError when there is none, or it may not be read */
  async read(path: Names): Promise<FileContent> {
    if (path.length === 0) throw notPlain('/', 'a directory');
    return this.inDirectory(path.slice(0, -1), (directory) => this.readIn(directory, path), { whole: path }).catch(
      (error: unknown) => {
        throw this.outsideOr(error, path);
      },
    );
  }

  /** The same in an open directory; `path` is the whole path, for errors. */
  async readIn(directory: Directory, path: Names): Promise<FileContent> {
    const file = await this.openIn(directory, path);
    try {
      const { size, mode } = await file.stat();
      if (size > LARGEST_FILE) throw tooLarge(path);
      return { bytes: await readUpTo(file, path), mode: mode & 0o777 };
    } finally {
      await file.close();
    }
  }

  /** A regular file, open for reading. The caller closes it. */
  async openIn(directory: Directory, path: Names): Promise<FileHandle> {
    const name = path.at(-1)!;
    const explain = async (error: unknown) => {
      throw await whyNot(error, this.root, directory, path, path.length - 1);
    };
    // Checked before it is opened, since opening alone makes some devices act; and again once it is open.
    const before = await directory.lstat(name).catch(explain);
    if (!before.isSymbolicLink()) this.refuseUnlessPlain(before, path);
    const file = await directory.file(name).catch(explain);
    try {
      this.refuseUnlessPlain(await file.stat(), path);
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /** Gives a clearer error for a missing path that looks like one of the machine. */
  outsideOr(error: unknown, path: Names): unknown {
    const missing = (error as { detail?: { reason?: string } }).detail?.reason === 'file_not_found';
    if (!missing) return error;
    const text = joinNames(path);
    if (`${text}/`.startsWith(`${this.root}/`)) {
      const real = text.slice(this.root.length) || '/';
      return invalid('outside_workspace', `${text} is a path of the machine.`, `Paths begin at the workspace root; use ${real}`);
    }
    if (!OF_THE_MACHINE.test(text)) return error;
    return invalid(
      'outside_workspace',
      `${text} looks like a path of the machine, and the workspace has none of that name.`,
      'Paths begin at the workspace root; nothing outside of it can be reached.',
    );
  }

  private refuseUnlessPlain(stats: { isFile(): boolean; isDirectory(): boolean; nlink: number }, path: Names): void {
    const pathText = joinNames(path);
    if (stats.isDirectory()) throw notPlain(pathText, 'a directory');
    if (!stats.isFile()) throw notPlain(pathText, 'a FIFO, a socket or a device');
    if (stats.nlink > 1 && !this.hardLinks) {
      throw invalid(
        'hard_link',
        `${pathText} has ${stats.nlink} names (hard links), and another one may lie outside of the workspace.`,
        'It is read only where the pack is set up with hardLinks: true.',
      );
    }
  }

  private async makeDirectory(directory: Directory, names: Names, index: number): Promise<void> {
    const missing = (await directory.lstat(names[index]!).catch(() => null)) === null;
    if (!missing) return;
    const path = joinNames(names);
    if (index === 0) {
      const refusal = this.outsideOr(notFound(path), [...names, '']);
      if ((refusal as { detail?: { reason?: string } }).detail?.reason === 'outside_workspace') throw refusal;
    }
    await mkdir(directory.at(names[index])).catch(async (error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw await whyNot(error, this.root, directory, names, index);
    });
    await directory.sync();
  }
}

function tooLarge(path: Names): Error {
  return invalid(
    'too_large',
    `${joinNames(path)} is larger than ${LARGEST_FILE / 1024 / 1024} MiB.`,
    'Find the place with grep, or take a part of it with bash.',
  );
}

/** A file may grow while it is read, and some files report no size. */
async function readUpTo(file: FileHandle, path: Names): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let total = 0;
  for (;;) {
    const { bytesRead, buffer } = await file.read({ buffer: Buffer.allocUnsafe(256 * 1024), position: null });
    if (bytesRead === 0) return Buffer.concat(chunks);
    total += bytesRead;
    if (total > LARGEST_FILE) throw tooLarge(path);
    chunks.push(buffer.subarray(0, bytesRead));
  }
}
