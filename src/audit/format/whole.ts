/**
 * Reads a whole bundle once: checks its form, its chain, and its signature by the key that it carries. It does not check what the
 * bundle means.
 */
import { verify } from 'node:crypto';
import { publicKey } from '../../attestation/public-key';
import { canonical } from '../../shared/json/canonical';
import { asJson, isJsonObject, type JsonObject } from '../../shared/json/json';
import { hashJson } from '../../shared/json/digests';
import { object } from '../../record/fields';
import { blockFault, partFault } from '../../store/core/seal';
import type { BundleBody, BundleLine, EndBody } from './lines';
import { BrokenLine, readLines, type ReadLine } from './reader';
import { isHash } from '../../shared/json/sha256';

/** The file is no bundle, or is damaged. */
export class NotWhole extends Error {
  override readonly name = 'NotWhole';
}

/**
 * @param take called with each line, in order, receipts after the trailer too
 * @throws NotWhole, with a sentence about the first line that is wrong
 */
export async function readWhole(
  chunks: AsyncIterable<Uint8Array>,
  take: (line: ReadLine) => void = () => undefined,
): Promise<{ first: BundleBody; end: EndBody }> {
  const bad = (why: string) => new NotWhole(`This is no whole bundle: ${why}. \`holdfast audit verify\` says more.`);
  let first: BundleBody | null = null;
  let last: BundleLine | null = null;
  try {
    for await (const line of readLines(chunks)) {
      if (last?.kind === 'end') {
        if (line.kind === 'receipt') {
          take(line);
          continue;
        }
        throw bad(`line ${line.n} follows its end`);
      }
      const fault = faultOf(line);
      if (fault !== null) throw bad(`line ${line.n}: ${fault}`);
      if (line.kind === 'bundle') first ??= line.body;
      take(line);
      last = line;
    }
  } catch (error) {
    throw error instanceof BrokenLine ? bad(`line ${error.n}: ${error.message}`) : error;
  }
  if (first === null || last?.kind !== 'end') throw bad('it has no beginning, or no end');
  const end = last.body;
  if (end.root !== last.prev || end.lines !== last.n + 1 || !isSigned(end)) throw bad('its root, count or signature is wrong');
  return { first, end };
}

function isSigned({ signature, ...rest }: EndBody): boolean {
  try {
    const bytes = Buffer.from(canonical(asJson(rest)));
    return verify(null, bytes, publicKey(rest.public), Buffer.from(signature, 'base64url'));
  } catch {
    return false;
  }
}

/** Checks the form that readers of a line rely on. Null: no fault. */
function faultOf({ n, kind, body }: BundleLine): string | null {
  const json = object(asJson(body));
  if ((n === 0) !== (kind === 'bundle')) return 'a bundle begins with a line of kind bundle, which comes once';
  switch (kind) {
    case 'bundle':
      return textsIn(json, 'agent', 'made_at') ? null : 'it says no agent, or no time';
    case 'event':
    case 'session':
      return isJsonObject(json.event ?? null) ? null : 'it has no event';
    case 'block':
      return blockFault(json.block ?? null);
    case 'turn':
      return textsIn(json, 'turn_id') && (json.parent === null || isJsonObject(json.parent ?? null)) ? null : 'it names no turn';
    case 'part':
      return partLineFault(json);
    case 'end':
      return textsIn(json, 'root', 'kid', 'public', 'signature') ? null : 'it is not signed';
    default:
      return null;
  }
}

function partLineFault({ ref, part = null }: JsonObject): string | null {
  if (!isHash(ref)) return 'its ref is no hash';
  if (part === null) return null;
  return partFault(part) ?? (hashJson(part) === ref ? null : 'the part does not have the hash that it is named by');
}

function textsIn(json: JsonObject, ...names: string[]): boolean {
  return names.every((name) => typeof json[name] === 'string');
}
