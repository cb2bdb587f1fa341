/**
 * Exports a bundle line by line (docs/bundle-format.md), from Temporal's history and the store to text. It holds no more than one
 * line and a list of names in memory.
 */
import { canonical } from '../../shared/json/canonical';
import { asJson, isJsonObject } from '../../shared/json/json';
import { JsonSyntaxError, parseJson } from '../../shared/json/parse-json';
import { tenantOf } from '../../shared/ids';
import { StoreError, type Store } from '../../store/store';
import { version } from '../../version';
import type { BundleSigner } from '../../attestation/bundle-signer';
import type { TreeHead } from '../../witness/tree-head';
import { BUNDLE_VERSION, type Bodies, type EndBody, type LineKind, type ObjectBody } from '../format/lines';
import { LineWriter } from '../format/writer';
import { innerPolicy } from '../recorded-rules';
import { Contradictions } from '../verify/contradictions';
import type { CheckedLine } from '../verify/content-checks';
import type { PlannedTurn, Sources } from './plan';
import { succeed, withdraw, type ChainName } from './previous';
import { SessionHistory } from './session-events';
import { planOf, subjectName, type Subject } from './subjects';
import { turnLines } from './turn-lines';

export { SubjectEmpty, SubjectNotFound, type Subject } from './subjects';

export interface Export extends Sources {
  subject: Subject;
  signer: BundleSigner;
  /** A tree head that a witness signed now: the bundle contains it, so it is not older. */
  head?: TreeHead | null;
  /** False: the bundle is for reading only, and the chain does not change. Default: true, the bundle is kept. */
  chained?: boolean;
}

/**
 * Yields the lines, each with its newline. A kept bundle is the last one of its chain (tenant and agent) as soon as its last line
 * is made. If the caller does not ask for more after that line, it could not keep the bundle, and the chain is restored.
 * A bundle whose sources disagree is made as well; its last line says so.
 * @throws SubjectNotFound, SubjectEmpty before the first line; whatever Temporal, the store or the signer throws
 */
export async function* exportBundle({
  subject,
  signer,
  head = null,
  chained = true,
  ...sources
}: Export): AsyncGenerator<string> {
  const turns = await planOf(sources, subject);
  const objects = await objectsOf(sources.store, turns);
  // The first turn with a known requester gives the chain. Without one, the chain is unknown, so the bundle is in none.
  const requestedTurn = turns.find(({ requester }) => requester !== '');
  const { agent, requester } = requestedTurn ?? turns[0]!;
  const tenant = tenantOf(requester);
  const isLink = chained && requestedTurn !== undefined;
  const writer = new CheckingWriter();
  yield writer.line('bundle', {
    v: BUNDLE_VERSION,
    subject,
    namespace: sources.temporal.options.namespace,
    agent,
    tenant,
    chained: isLink,
    made_at: new Date().toISOString(),
    made_by: { holdfast: version, node: process.version, ...(head === null ? {} : { witness_head: head }) },
  });
  for (const object of objects) yield writer.line('object', object);
  const soFar = { writtenRefs: new Set<string>(), sessions: new SessionHistory(sources.temporal) };
  for (const turn of turns)
    for await (const [kind, body] of turnLines(sources, turn, soFar)) yield writer.line(kind, body as never);
  const complete = turns.every(({ faults }) => faults.length === 0);
  const { line, takeBack } = await lastLine(writer, {
    store: sources.store,
    chain: isLink ? { agent, tenant } : null,
    subject: subjectName(subject),
    complete,
    signer,
  });
  let wasTaken = false;
  try {
    yield line;
    wasTaken = true;
  } finally {
    if (!wasTaken) await takeBack();
  }
}

/** A writer that also looks for contradictions in what it writes. */
class CheckingWriter extends LineWriter {
  readonly contradictions = new Contradictions();

  override line<K extends LineKind>(kind: K, body: Bodies[K]): string {
    this.contradictions.take({ n: this.lines, kind, body } as unknown as CheckedLine);
    return super.line(kind, body);
  }
}

/** Rules and definitions that the turns refer to, and rules inside them. A missing one is a fault of each of these turns. */
async function objectsOf(store: Store, turns: PlannedTurn[]): Promise<ObjectBody[]> {
  const bodies = new Map<string, ObjectBody | null>();
  for (const { objects, faults } of turns) {
    for (const ref of objects) {
      if (!bodies.has(ref)) bodies.set(ref, await objectOf(store, ref));
      const inner = innerPolicy(bodies.get(ref)?.value);
      if (inner !== null) objects.add(inner); // this loop visits it too
      if (bodies.get(ref) === null) faults.push(`The store does not have the rules or the definition ${ref}.`);
    }
  }
  return [...bodies.values()].filter((object) => object !== null);
}

async function objectOf(store: Store, ref: string): Promise<ObjectBody | null> {
  try {
    const text = (await store.getBytes(ref)).toString('utf8');
    const value = parseJson(text);
    return isJsonObject(value) && canonical(value) === text ? { ref, value } : null;
  } catch (error) {
    if (error instanceof StoreError || error instanceof JsonSyntaxError) return null;
    throw error;
  }
}

interface Last {
  store: Store;
  /** Null: the bundle is no link of a chain. */
  chain: ChainName | null;
  subject: string;
  complete: boolean;
  signer: BundleSigner;
}

/** @returns the line, and a function that makes the bundle before it the chain's last one again */
async function lastLine(
  writer: CheckingWriter,
  { store, chain, subject, complete, signer }: Last,
): Promise<{ line: string; takeBack(): Promise<void> }> {
  const own = { root: writer.last!, subject };
  const previous = chain && (await succeed(store.registers, chain, own));
  const takeBack = async () => {
    if (chain) await withdraw(store.registers, chain, own, previous);
  };
  const { kid, public: publicKey } = signer;
  const baseFields = { root: own.root, lines: writer.lines + 1, complete, previous, redaction: null, kid, public: publicKey };
  writer.contradictions.take({ n: writer.lines, kind: 'end', body: { ...baseFields, signature: '' } });
  const signedFields: Omit<EndBody, 'signature'> = { ...baseFields, contradiction: writer.contradictions.first };
  try {
    const signature = await signer.sign(Buffer.from(canonical(asJson(signedFields)), 'utf8'));
    return { line: writer.line('end', { ...signedFields, signature: signature.toString('base64url') }), takeBack };
  } catch (error) {
    await takeBack();
    throw error;
  }
}
