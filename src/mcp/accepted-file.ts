/**
 * Reads and writes the file of accepted tool classes, and pins tools in the store. A person accepts a class for exactly one
 * definition: if its hash changes, the tool is destructive again. The file also lists the error codes of a server that count as
 * refusals. It lies beside the servers' file, so that both are deployed together.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { getOwn, isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { strayFields } from '../tools/define/fields';
import { replaceFile } from '../store/files/atomic-file';
import { canonical } from '../shared/json/canonical';
import { StoreError, type Store } from '../store/store';
import { CLASSES, type AcceptableClass, type ListedTool } from './listed-tool';
import { BadServersFile } from './servers-file';
import { errorMessage } from '../shared/text/error-message';

const FORM = 'holdfast.mcp_accepted/1';
const LARGEST_FILE = 16 * 1024 * 1024;
const MOST_FAULTS = 10;

/**
 * A JSON-RPC error code, or an HTTP status 4xx. Not -32000 and -32001: the SDK uses them for a lost connection and for a missing
 * answer, which prove nothing.
 */
const ANSWER_CODE = /^(?!-3200[01]$)(-?[1-9]\d{0,9}|http-4\d\d)$/;

const who = { by: z.string().max(200), at: z.string().max(40) };

const FILE = z.strictObject({
  v: z.literal(FORM),
  /** Server → code → the person who accepted that such an answer means that nothing was done. Absent in older files. */
  trusted_errors: z.record(z.string(), z.record(z.string().regex(ANSWER_CODE), z.strictObject(who))).optional(),
  servers: z.record(
    z.string(),
    z.record(
      z.string(),
      z.strictObject({
        class: z.enum(CLASSES),
        /** Hash of the definition that the person saw. */
        hash: z.string().regex(/^[0-9a-f]{64}$/),
        ...who,
      }),
    ),
  ),
});

/** Server → tool, as the server calls it → the accepted class. */
export type AcceptedTools = z.output<typeof FILE>['servers'];
export type TrustedErrors = NonNullable<z.output<typeof FILE>['trusted_errors']>;

export function isAnswerCode(code: string): boolean {
  return ANSWER_CODE.test(code);
}

/** `…/mcp.json` → `…/mcp.accepted.json`. */
export function acceptedPath(serversPath: string): string {
  return `${serversPath.replace(/\.json$/, '')}.accepted.json`;
}

/** Empty if there is no such file. @throws BadServersFile */
export async function readAcceptedTools(path: string): Promise<AcceptedTools> {
  return (await readAcceptedFile(path)).servers;
}

/** As `readAcceptedTools`. */
export async function readTrustedErrors(path: string): Promise<TrustedErrors> {
  return (await readAcceptedFile(path)).trusted_errors ?? {};
}

async function readAcceptedFile(path: string): Promise<Omit<z.output<typeof FILE>, 'v'>> {
  if (!existsSync(path)) return { servers: {} };
  try {
    if (statSync(path).size > LARGEST_FILE) throw new Error('it is too large');
    const content: unknown = JSON.parse(await readFile(path, 'utf8'));
    const { success, data } = FILE.safeParse(content);
    if (!success) throw new Error(['its form is wrong', ...strayFields(FILE, content, '').slice(0, MOST_FAULTS)].join('; '));
    return data;
  } catch (error) {
    const why = error instanceof SyntaxError ? 'it is no JSON' : errorMessage(error);
    throw new BadServersFile(
      `The accepted classes ${path} cannot be used: ${why}. Fix the file, or remove it: without it, every MCP tool counts as destructive.`,
    );
  }
}

/** @param trustedErrors absent: the codes in the file stay */
export async function writeAcceptedTools(path: string, servers: AcceptedTools, trustedErrors?: TrustedErrors): Promise<void> {
  const trusted_errors = trustedErrors ?? (await readTrustedErrors(path));
  const folder = dirname(resolve(path));
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(folder, resolve(path), Buffer.from(`${JSON.stringify({ v: FORM, servers, trusted_errors }, null, 2)}\n`));
}

/** Null: no person has accepted this definition. */
export function acceptedClass(acceptedTools: AcceptedTools, server: string, { name, hash }: ListedTool): AcceptableClass | null {
  const entry = getOwn(getOwn(acceptedTools, server) ?? {}, name);
  return entry?.hash === hash ? entry.class : null;
}

// A definition with its class, as a turn pins it. It is stored under its hash, and the tool's version contains that hash. So
// approvals and digests cover it, and a new worker finds it without asking the server. A seal with the store's key proves that a
// worker wrote it: a part of the store may also be a result that a server sent.

export interface PinnedTool {
  server: string;
  class: AcceptableClass;
  /** As the server listed it. */
  definition: JsonObject;
}

/** The same for all turns: an equal definition is one part, whichever turn pins it. */
const SCOPE = 'mcp';
const PIN_FORM = 'holdfast.mcp_tool/1';
const VERSION = /^0\.0\.0-h([0-9a-f]{64})$/;

type PinStore = Pick<Store, 'putPart' | 'getPart' | 'derivedKey'>;

/** Stores the pinned tool. @returns the version that names it */
export async function pin(store: PinStore, { server, class: toolClass, definition }: PinnedTool): Promise<string> {
  const body = { v: PIN_FORM, server, class: toolClass, definition };
  return `0.0.0-h${await store.putPart(SCOPE, { ...body, seal: sealOf(store, body) })}`;
}

/** Null: no worker has pinned a tool as this version. @throws StoreError `damaged` */
export async function pinnedAs(store: PinStore, version: string): Promise<PinnedTool | null> {
  const ref = VERSION.exec(version)?.[1];
  if (ref === undefined) return null;
  const body = await store.getPart(ref).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  });
  if (!isJsonObject(body)) return null;
  const { seal, ...pinned } = body;
  if (typeof seal !== 'string' || !sameText(seal, sealOf(store, pinned)) || pinned.v !== PIN_FORM) return null;
  const { server, class: toolClass, definition } = pinned as unknown as PinnedTool;
  return CLASSES.includes(toolClass) ? { server, class: toolClass, definition } : null;
}

function sealOf(store: PinStore, body: Json): string {
  return createHmac('sha256', store.derivedKey('mcp-pinned', 'store')).update(canonical(body)).digest('hex');
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
