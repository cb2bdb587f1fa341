/**
 * What somebody can do who has stolen the key that signs bundles: the content changed, and every hash, ref, head, link and the
 * signature made right again. What stands in payloads of the history is open to change like the rest.
 */
import { createHash } from 'node:crypto';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { canonical } from '../../../src/shared/json/canonical';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import { BUNDLE_KEY } from '../bundle-keys';
import { written, type AnyLine } from '../rewrite-bundle';

const JSON_PLAIN: JsonObject = { encoding: Buffer.from('json/plain').toString('base64') };

/** A line with its payloads decoded: `{"$": value}`. */
export interface OpenLine {
  kind: AnyLine['kind'];
  // A forger does not ask for types.
  body: any;
}

/** @param edit changes the lines in place */
export function forged(
  bundle: string,
  edit: (lines: OpenLine[]) => void,
  key: SigningKey = BUNDLE_KEY,
): OpenLine[] & { text: string } {
  const lines = opened(bundle);
  edit(lines);
  const right = resealed(lines);
  const text = written(
    right.map(({ kind, body }) => ({ kind, body: closed(body) }) as unknown as AnyLine),
    key,
  );
  return Object.assign(right, { text });
}

/** The lines of a bundle, with their payloads decoded. */
export function opened(bundle: string): OpenLine[] {
  const lines = bundle.trimEnd().split('\n');
  return lines.map((line) => decoded(JSON.parse(line)) as unknown as OpenLine);
}

/** Refs follow from content, and content names refs: what comes later follows at once, what came before in the next round. */
function resealed(lines: OpenLine[]): OpenLine[] {
  for (let round = 0; round < 100; round++) {
    const renamed = new Map<string, string>();
    for (const [index, line] of lines.entries()) {
      const { kind, body } = (lines[index] = withRenamed(line, renamed));
      const content: Json =
        (kind === 'part' ? body.part : kind === 'block' ? body.block : kind === 'object' ? body.value : null) ?? null;
      const ref = content === null ? null : hashOf(content); // left out, or lost
      if (ref === null || ref === body.ref) continue;
      renamed.set(body.ref as string, ref);
      body.ref = ref;
    }
    if (renamed.size === 0) return lines;
    for (const [index, line] of lines.entries()) lines[index] = withRenamed(line, renamed);
  }
  throw new Error('The refs do not settle down');
}

function withRenamed(line: OpenLine, renamed: ReadonlyMap<string, string>): OpenLine {
  if (renamed.size === 0) return line;
  const text = JSON.stringify(line);
  const right = text.replace(/[0-9a-f]{64}/g, (hash) => renamed.get(hash) ?? hash);
  return right === text ? line : (JSON.parse(right) as OpenLine);
}

/** Most lines of a sample stay as they are. */
const HASHES = new Map<string, string>();
const MOST_HASHES = 5000;

function hashOf(value: Json): string {
  const text = JSON.stringify(value);
  const known = HASHES.get(text);
  if (known !== undefined) return known;
  const hash = createHash('sha256').update(canonical(value)).digest('hex');
  if (HASHES.size >= MOST_HASHES) HASHES.clear();
  HASHES.set(text, hash);
  return hash;
}

function decoded(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(decoded);
  const { metadata, data } = value;
  if (JSON.stringify(metadata) === JSON.stringify(JSON_PLAIN) && typeof data === 'string')
    return { $: JSON.parse(Buffer.from(data, 'base64').toString()) as Json };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, decoded(item)]));
}

function closed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(closed);
  if ('$' in value) return { metadata: JSON_PLAIN, data: Buffer.from(JSON.stringify(value.$)).toString('base64') };
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, closed(item)]));
}
