/**
 * The classes that a person has accepted, each for exactly one definition: another hash, and the tool is destructive
 * again. Beside the servers' file, so that both are deployed together.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { getOwn } from '../../shared/json';
import { replaceFile } from '../../store/atomic-file';
import { CLASSES, type AcceptableClass } from './classes';
import type { ListedTool } from './listed-tool';
import { BadServersFile } from './servers-file';

const FORM = 'holdfast.mcp_accepted/1';
const LARGEST_FILE = 16 * 1024 * 1024;

const FILE = z.strictObject({
  v: z.literal(FORM),
  servers: z.record(
    z.string(),
    z.record(
      z.string(),
      z.strictObject({
        class: z.enum(CLASSES),
        /** Of the definition that was looked at. */
        hash: z.string().regex(/^[0-9a-f]{64}$/),
        by: z.string().max(200),
        at: z.string().max(40),
      }),
    ),
  ),
});

/** Server → tool, as the server calls it → what was accepted. */
export type Accepted = z.output<typeof FILE>['servers'];

/** `…/mcp.json` → `…/mcp.accepted.json`. */
export function acceptedPath(serversPath: string): string {
  return `${serversPath.replace(/\.json$/, '')}.accepted.json`;
}

/** Nothing where there is no such file. @throws BadServersFile */
export async function readAccepted(path: string): Promise<Accepted> {
  if (!existsSync(path)) return {};
  try {
    if (statSync(path).size > LARGEST_FILE) throw new Error('it is too large');
    return FILE.parse(JSON.parse(await readFile(path, 'utf8'))).servers;
  } catch (error) {
    const why =
      error instanceof z.ZodError ? 'its form is wrong' : error instanceof SyntaxError ? 'it is no JSON' : String(error);
    throw new BadServersFile(
      `The accepted classes ${path} cannot be used: ${why}. Mend or remove the file: then all is destructive.`,
    );
  }
}

export async function writeAccepted(path: string, servers: Accepted): Promise<void> {
  const folder = dirname(resolve(path));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(folder, resolve(path), Buffer.from(`${JSON.stringify({ v: FORM, servers }, null, 2)}\n`));
}

/** Null: nobody has accepted this definition. */
export function acceptedClass(accepted: Accepted, server: string, { name, hash }: ListedTool): AcceptableClass | null {
  const entry = getOwn(getOwn(accepted, server) ?? {}, name);
  return entry?.hash === hash ? entry.class : null;
}
