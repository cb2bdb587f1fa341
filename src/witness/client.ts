/** Asks a witness and a timestamp authority about bundles, and checks their answers before anybody keeps them. */
import { isJsonObject, type Json } from '../shared/json/json';
import { parseJson } from '../shared/json/parse-json';
import { errorMessage } from '../shared/text/error-message';
import { isConsistent } from './merkle';
import { isReceipt, witnessFault, type Receipt, type TrailerHashes, type WitnessReceipt } from './receipt';
import { readTimestamp, timestampRequest } from './timestamp';
import { readHead, type TreeHead } from './tree-head';

/** Where receipts come from. */
export interface ReceiptServices {
  /** Null: no witness. */
  witness: { url: string; token: string } | null;
  /** URL of a timestamp authority; null: none. */
  timestamp: string | null;
}

export const NONE: ReceiptServices = { witness: null, timestamp: null };

/** A service did not answer, or with something that proves nothing. It can be asked again. */
export class NoReceipt extends Error {
  override readonly name = 'NoReceipt';
}

const WITHIN_MS = 10_000;
/** An export does not wait longer for a tree head, which it can do without. */
const HEAD_WITHIN_MS = 3000;
const LARGEST_ANSWER = 700_000;

/**
 * A receipt of each service, as far as they answer.
 * @param about the trailer, and the text of its line without the newline
 */
export async function receiptsFor(
  { witness, timestamp }: ReceiptServices,
  about: TrailerHashes & { text: string },
): Promise<{ receipts: Receipt[]; faults: string[] }> {
  const requests: Promise<Receipt>[] = [];
  if (witness !== null) requests.push(askWitness(witness, about));
  if (timestamp !== null) requests.push(askAuthority(timestamp, about));
  const answers = await Promise.allSettled(requests);
  return {
    receipts: answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])),
    faults: answers.flatMap((answer) => (answer.status === 'rejected' ? [errorMessage(answer.reason)] : [])),
  };
}

/** @throws NoReceipt */
export async function askWitness(
  { url, token }: { url: string; token: string },
  { root, end, previous }: TrailerHashes,
): Promise<WitnessReceipt> {
  const body = JSON.stringify({ root, end, previous });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const answer = await jsonFrom(`${base(url)}/v1/witness`, { method: 'POST', headers, body });
  if (!isReceipt(answer) || (answer as { by?: Json }).by !== 'witness')
    throw new NoReceipt(`The witness ${url} gave no receipt.`);
  const receipt = answer as unknown as WitnessReceipt;
  const fault = witnessFault(receipt, { root, end, previous });
  if (fault !== null) throw new NoReceipt(`The receipt of the witness ${url} does not hold: ${fault}.`);
  return receipt;
}

/** A tree head of now; null if the witness does not answer. */
export async function presentHead({ url }: { url: string }): Promise<TreeHead | null> {
  return readHead(await jsonFrom(`${base(url)}/v1/witness/head`, {}, HEAD_WITHIN_MS).catch(() => null));
}

/**
 * Checks that a head is one of the witness's log today.
 * @returns the present head, or why the two are not of one log
 * @throws NoReceipt if the witness does not answer
 */
export async function compareHeads(
  { url }: { url: string },
  earlier: TreeHead,
): Promise<{ now: TreeHead; fault: string | null }> {
  const now = readHead(await jsonFrom(`${base(url)}/v1/witness/head`, {}));
  if (now === null) throw new NoReceipt(`The witness ${url} gave no tree head.`);
  const state = ({ size, tree }: TreeHead) => ({ size, root: tree });
  if (now.kid !== earlier.kid || now.public !== earlier.public)
    return { now, fault: `the witness at ${url} has key ${now.kid}, and the receipt is by ${earlier.kid}` };
  if (now.size < earlier.size)
    return { now, fault: `its log had ${earlier.size} entries at ${earlier.at}, and has ${now.size} now: it was cut back` };
  const answer = await jsonFrom(`${base(url)}/v1/witness/consistency?from=${earlier.size}&to=${now.size}`, {});
  const proof = isJsonObject(answer) && Array.isArray(answer.proof) ? (answer.proof as string[]) : [];
  const holds = isConsistent(state(earlier), state(now), proof);
  return {
    now,
    fault: holds ? null : `its log of ${earlier.at} is not the beginning of its log of now: it was changed, or there are two`,
  };
}

async function askAuthority(url: string, { end, text }: TrailerHashes & { text: string }): Promise<Receipt> {
  const headers = { 'content-type': 'application/timestamp-query' };
  const response = await bytesFrom(url, { method: 'POST', headers, body: new Uint8Array(await timestampRequest(end)) });
  try {
    await readTimestamp(response, Buffer.from(text));
  } catch (error) {
    throw new NoReceipt(`The timestamp of ${url} does not hold: ${errorMessage(error)}.`);
  }
  return { by: 'timestamp', response: response.toString('base64') };
}

async function jsonFrom(url: string, request: RequestInit, withinMs = WITHIN_MS): Promise<Json> {
  const bytes = await bytesFrom(url, request, withinMs);
  try {
    return parseJson(bytes.toString('utf8'));
  } catch (error) {
    throw new NoReceipt(`${url} gave no JSON: ${errorMessage(error)}.`);
  }
}

async function bytesFrom(url: string, request: RequestInit, withinMs = WITHIN_MS): Promise<Buffer> {
  try {
    const answer = await fetch(url, { ...request, redirect: 'error', signal: AbortSignal.timeout(withinMs) });
    const bytes = await bodyOf(answer);
    if (!answer.ok) throw new Error(`status ${answer.status}: ${bytes.toString('utf8').slice(0, 200)}`);
    return bytes;
  } catch (error) {
    const cause = (error as Error).cause;
    throw new NoReceipt(`${url} did not answer: ${errorMessage(error)}${cause === undefined ? '' : ` (${errorMessage(cause)})`}`);
  }
}

async function bodyOf({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LARGEST_ANSWER) throw new Error(`it answers with more than ${LARGEST_ANSWER} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function base(url: string): string {
  return url.replace(/\/+$/, '');
}
