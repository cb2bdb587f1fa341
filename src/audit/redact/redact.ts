/**
 * Makes a copy of a bundle without some of its content. Removed parts keep their hashes, so the transcript can still be verified;
 * payloads of history with the same content are removed too. The lines are chained anew, and the redactor signs.
 */
import type { BundleSigner } from '../../attestation/bundle-signer';
import { canonical } from '../../shared/json/canonical';
import { FILE_BYTES_VERSION } from '../../record/stored-file';
import { asJson, isJsonObject, type Json } from '../../shared/json/json';
import { BUNDLE_VERSION, type BundleLine, type LineKind, type Redaction } from '../format/lines';
import { readLines } from '../format/reader';
import { readWhole } from '../format/whole';
import { LineWriter } from '../format/writer';
import { leftOutIn } from '../case-file/payload';
import { redactEvent } from './events';
import { Secrets } from './secrets';
import { NothingToRedact, Selection, type RedactionScope } from './selection';
import { optional } from '../../shared/json/optional';

export interface RedactRequest extends RedactionScope {
  reason: string;
  signer: BundleSigner;
}

export interface RedactionResult {
  root: string;
  redaction: Redaction;
  /** Refs of kept parts that repeat removed content, at most 20. */
  repeated_in: string[];
}

/** Kinds of lines that stay unchanged, so their content is not secret. */
const SAID_BESIDES: readonly LineKind[] = ['bundle', 'object', 'turn', 'run', 'effect', 'turn_end'];
const LONGEST_REASON = 1000;
const MAX_REPEATS = 20;

/**
 * Yields the lines of the redacted bundle, and returns what was done. The bundle is read four times, a line at a time.
 * @param source its bytes, from the beginning at each call
 * @throws NotWhole, NothingToRedact
 */
export async function* redact(
  source: () => AsyncIterable<Uint8Array>,
  { reason, signer, ...scope }: RedactRequest,
): AsyncGenerator<string, RedactionResult> {
  if (reason.trim() === '' || reason.length > LONGEST_REASON)
    throw new NothingToRedact(`The reason must have from 1 to ${LONGEST_REASON} characters: it stands in the bundle.`);
  const selection = new Selection(scope);
  // The redactor's signature vouches for the original too, so the original must be whole. Its signer need not be trusted.
  const { first, end: original } = await readWhole(source(), (line) => selection.take(line));
  const leftOut = selection.finish();
  const { secrets, repeated_in } = await secretsOf(source, leftOut);

  const writer = new LineWriter();
  const counts = { parts: 0, payloads: 0 };
  for await (const line of readLines(source())) {
    if (line.kind === 'end') break;
    yield writer.line(line.kind, redactLine(line, leftOut, secrets, counts) as never);
  }
  const { root, kid, signature, complete, previous, contradiction } = original;
  const whole = first.v === BUNDLE_VERSION ? { public: original.public, redaction: original.redaction } : {};
  const redaction: Redaction = { of: { root, kid, signature, ...whole }, ...counts, reason };
  const end = {
    root: writer.last!,
    lines: writer.lines + 1,
    complete,
    previous,
    redaction,
    ...optional({ contradiction }),
    kid: signer.kid,
    public: signer.public,
  };
  const bytes = await signer.sign(Buffer.from(canonical(asJson(end))));
  yield writer.line('end', { ...end, signature: Buffer.from(bytes).toString('base64url') });
  return { root: end.root, redaction, repeated_in };
}

/** Bytes of a file have no words, and history never has them. */
function isBytes(body: Json): boolean {
  return isJsonObject(body) && body.v === FILE_BYTES_VERSION;
}

/** Content of the removed parts, without what kept parts and unchanged lines contain. */
async function secretsOf(source: () => AsyncIterable<Uint8Array>, leftOut: ReadonlySet<string>) {
  const secrets = new Secrets();
  for await (const { kind, body } of readLines(source()))
    if (kind === 'part' && body.part !== null && leftOut.has(body.ref) && !isBytes(body.part.body)) secrets.add(body.part.body);
  const repeated_in: string[] = [];
  for await (const { kind, body } of readLines(source())) {
    if (SAID_BESIDES.includes(kind)) secrets.forgive(asJson(body));
    if (kind === 'block' || kind === 'part') secrets.forgiveIds(kind === 'part' ? body.ref : asJson(body));
    if (kind !== 'part' || body.part === null || leftOut.has(body.ref) || isBytes(body.part.body)) continue;
    if (secrets.forgive(body.part.body) && repeated_in.length < MAX_REPEATS) repeated_in.push(body.ref);
  }
  return { secrets, repeated_in };
}

function redactLine(
  line: Exclude<BundleLine, { kind: 'end' }>,
  leftOut: ReadonlySet<string>,
  secrets: Secrets,
  counts: { parts: number; payloads: number },
): BundleLine['body'] {
  if (line.kind === 'part') {
    const part = leftOut.has(line.body.ref) ? null : line.body.part;
    if (part === null) counts.parts += 1;
    return { ...line.body, part };
  }
  if (line.kind !== 'event' && line.kind !== 'session') return line.body;
  const before = leftOutIn(line.body.event);
  const { event, payloads } = redactEvent(line.body.event, (value) => value === undefined || secrets.heldBy(value));
  counts.payloads += before + payloads;
  return { ...line.body, event };
}
