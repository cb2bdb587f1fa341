/**
 * A definition with its class, as a turn is pinned to it. It lies in the store under its hash, and the tool's version is
 * that hash: so approvals and digests cover it, and a fresh worker finds it without asking the server. A seal with the
 * store's key shows that a worker wrote it: what lies in a store may also be a result that some server has sent.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonical } from '../shared/json/canonical';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { StoreError, type Store } from '../store/store';
import { CLASSES, type AcceptableClass } from './classes';

export interface Pinned {
  server: string;
  class: AcceptableClass;
  /** As the server listed it. */
  definition: JsonObject;
}

/** Not a turn's: the same definition is one part, whichever turn pins it. */
const SCOPE = 'mcp';
const FORM = 'holdfast.mcp_tool/1';
const VERSION = /^0\.0\.0-h([0-9a-f]{64})$/;

type PinStore = Pick<Store, 'putPart' | 'getPart' | 'derivedKey'>;

/** Stores it. @returns the version that names it */
export async function pin(store: PinStore, { server, class: toolClass, definition }: Pinned): Promise<string> {
  const body = { v: FORM, server, class: toolClass, definition };
  return `0.0.0-h${await store.putPart(SCOPE, { ...body, seal: sealOf(store, body) })}`;
}

/** Null: the version names nothing that a worker has pinned. @throws StoreError `damaged` */
export async function pinnedAs(store: PinStore, version: string): Promise<Pinned | null> {
  const ref = VERSION.exec(version)?.[1];
  if (ref === undefined) return null;
  const body = await store.getPart(ref).catch((error: unknown) => {
    if (error instanceof StoreError && error.code === 'not_found') return null;
    throw error;
  });
  if (!isJsonObject(body)) return null;
  const { seal, ...pinned } = body;
  if (typeof seal !== 'string' || !sameText(seal, sealOf(store, pinned)) || pinned.v !== FORM) return null;
  const { server, class: toolClass, definition } = pinned as unknown as Pinned;
  return CLASSES.includes(toolClass) ? { server, class: toolClass, definition } : null;
}

function sealOf(store: PinStore, body: Json): string {
  return createHmac('sha256', store.derivedKey('mcp-pinned')).update(canonical(body)).digest('hex');
}

function sameText(a: string, b: string): boolean {
  return a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));
}
