/**
 * Timestamps by RFC 3161: an authority signs that it saw a hash at a time. The package asn1js reads them; it is optional, and loaded
 * on first use.
 *
 * A timestamp counts if a certificate in the answer, which is for timestamps alone and was good at the time in the timestamp, has
 * signed it, and leads over other certificates in the answer to a root that the auditor trusts. It rests on the authority's clock and
 * keys alone.
 */
import { createHash, verify, X509Certificate } from 'node:crypto';
import { sha256Hex } from '../shared/json/sha256';
import { errorMessage } from '../shared/text/error-message';

type Asn1 = typeof import('asn1js');
type Node = import('asn1js').BaseBlock;

const SHA_256 = '2.16.840.1.101.3.4.2.1';
const SIGNED_DATA = '1.2.840.113549.1.7.2';
const TST_INFO = '1.2.840.113549.1.9.16.1.4';
const CONTENT_TYPE = '1.2.840.113549.1.9.3';
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4';
const TIME_STAMPING = '1.3.6.1.5.5.7.3.8';
const DIGESTS = new Map([
  [SHA_256, 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
]);
/** Tag of a SET: of signed attributes it is signed in place of their own (RFC 5652, section 5.4). */
const SET_TAG = 0x31;
const CONTEXT = 3;
const LONGEST_CHAIN = 8;

/** The answer of an authority that is none, or not about this text. */
export class BadTimestamp extends Error {
  override readonly name = 'BadTimestamp';
}

/** Timestamps cannot be read here. */
export class TimestampsUnreadable extends Error {
  override readonly name = 'TimestampsUnreadable';
  constructor() {
    super('Timestamps by RFC 3161 need the package asn1js, which is not installed: npm install asn1js@^3');
  }
}

/** @throws TimestampsUnreadable */
async function loadAsn1(): Promise<Asn1> {
  // The page has no certificates (packages/page/src/verifier).
  if (X509Certificate === undefined) throw new TimestampsUnreadable();
  try {
    return await import('asn1js');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'MODULE_NOT_FOUND' || code === 'ERR_MODULE_NOT_FOUND') throw new TimestampsUnreadable();
    throw error;
  }
}

/**
 * What an authority is sent: a TimeStampReq in DER, which asks for the certificates too.
 * @param hash SHA-256, 64 hex
 * @throws TimestampsUnreadable
 */
export async function timestampRequest(hash: string): Promise<Buffer> {
  const { Boolean: Flag, Integer, Null, ObjectIdentifier, OctetString, Sequence } = await loadAsn1();
  const imprint = [
    new Sequence({ value: [new ObjectIdentifier({ value: SHA_256 }), new Null()] }),
    new OctetString({ valueHex: Uint8Array.from(Buffer.from(hash, 'hex')) }),
  ];
  const request = new Sequence({
    value: [new Integer({ value: 1 }), new Sequence({ value: imprint }), new Flag({ value: true })],
  });
  return Buffer.from(request.toBER());
}

export interface ReadTimestamp {
  /** ISO 8601 in UTC with milliseconds. */
  at: string;
  /** Whether it counts with this root trusted: a certificate in DER. */
  isBy(root: Uint8Array): boolean;
}

/**
 * @param response a TimeStampResp, DER
 * @param text what it must be about, by its SHA-256
 * @throws BadTimestamp; TimestampsUnreadable
 */
export async function readTimestamp(response: Uint8Array, text: Uint8Array): Promise<ReadTimestamp> {
  const reader = new Reader(await loadAsn1());
  try {
    const [status, token] = reader.items(reader.whole(response));
    const [granted] = reader.items(status);
    if (![0, 1].includes(reader.number(granted)) || token === undefined) throw new Error('the authority has refused it');
    const [type, tagged] = reader.items(token);
    if (reader.oid(type) !== SIGNED_DATA) throw new Error('it is not signed');
    const signed = readSignedData(reader, reader.items(tagged)[0]);
    const [, , imprint, , genTime] = reader.items(reader.whole(signed.content));
    const [algorithm, hash] = reader.items(imprint);
    if (reader.oid(reader.items(algorithm)[0]) !== SHA_256 || reader.bytes(hash).toString('hex') !== sha256Hex(text))
      throw new Error('it is about another hash');
    const at = reader.time(genTime);
    return { at: at.toISOString(), isBy: (root) => isSignedBelow(reader, signed, root, at) };
  } catch (error) {
    throw new BadTimestamp(errorMessage(error));
  }
}

interface SignedData {
  /** TSTInfo, DER. */
  content: Buffer;
  certificates: Buffer[];
  signer: Node;
}

function readSignedData(reader: Reader, signedData: Node | undefined): SignedData {
  const [, , encapsulated, ...rest] = reader.items(signedData);
  const [type, tagged] = reader.items(encapsulated);
  if (reader.oid(type) !== TST_INFO) throw new Error('it has no time');
  const content = reader.bytes(reader.items(tagged)[0]);
  const certificates = rest.find((node) => reader.isTagged(node, 0));
  const signers = reader.items(rest.at(-1));
  if (signers.length !== 1) throw new Error('it must have one signature');
  return {
    content,
    certificates: certificates === undefined ? [] : reader.items(certificates).map((node) => reader.raw(node)),
    signer: signers[0]!,
  };
}

function isSignedBelow(reader: Reader, { content, certificates, signer }: SignedData, root: Uint8Array, at: Date): boolean {
  try {
    const fields = reader.items(signer);
    const [digest, attributes, , signature] = fields.slice(2);
    const algorithm = DIGESTS.get(reader.oid(reader.items(digest)[0]));
    if (algorithm === undefined || !reader.isTagged(attributes, 0)) return false;
    if (!reader.attribute(attributes, CONTENT_TYPE, (node) => reader.oid(node) === TST_INFO)) return false;
    const expected = createHash(algorithm).update(content).digest();
    if (!reader.attribute(attributes, MESSAGE_DIGEST, (node) => reader.bytes(node).equals(expected))) return false;
    const signed = reader.raw(attributes);
    signed[0] = SET_TAG;
    const all = certificates.map((der) => new X509Certificate(der));
    const anchor = new X509Certificate(root);
    const bytes = reader.bytes(signature);
    return all.some(
      (one) => isForTimestamps(one, at) && verify(algorithm, signed, one.publicKey, bytes) && leadsTo(one, anchor, all, at),
    );
  } catch {
    return false;
  }
}

function isForTimestamps(certificate: X509Certificate, at: Date): boolean {
  const purposes = certificate.keyUsage ?? [];
  return purposes.length === 1 && purposes[0] === TIME_STAMPING && !certificate.ca && isGoodAt(certificate, at);
}

function leadsTo(from: X509Certificate, root: X509Certificate, others: readonly X509Certificate[], at: Date): boolean {
  let child = from;
  for (let steps = 0; steps < LONGEST_CHAIN; steps++) {
    if (isIssuedBy(child, root, at)) return true;
    const issuer = others.find((one) => isIssuedBy(child, one, at));
    if (issuer === undefined || issuer.fingerprint256 === child.fingerprint256) return false;
    child = issuer;
  }
  return false;
}

function isIssuedBy(child: X509Certificate, issuer: X509Certificate, at: Date): boolean {
  return issuer.ca && isGoodAt(issuer, at) && child.checkIssued(issuer) && child.verify(issuer.publicKey);
}

function isGoodAt({ validFrom, validTo }: X509Certificate, at: Date): boolean {
  return Date.parse(validFrom) <= at.getTime() && at.getTime() <= Date.parse(validTo);
}

/** Reads values of ASN.1. Each method throws for a value of another type. */
class Reader {
  constructor(private readonly asn1: Asn1) {}

  /** One value, and nothing behind it. */
  whole(bytes: Uint8Array): Node {
    const { offset, result } = this.asn1.fromBER(Uint8Array.from(bytes).buffer);
    if (offset !== bytes.length) throw new Error('it is no DER');
    return result;
  }

  /** The values of a SEQUENCE, a SET or a tag. */
  items(node: Node | undefined): Node[] {
    const value = (node as { valueBlock?: { value?: unknown } } | undefined)?.valueBlock?.value;
    if (!Array.isArray(value)) throw new Error('a list is missing in it');
    return value as Node[];
  }

  isTagged(node: Node | undefined, number: number): node is Node {
    return node?.idBlock.tagClass === CONTEXT && node.idBlock.tagNumber === number;
  }

  oid(node: Node | undefined): string {
    if (!(node instanceof this.asn1.ObjectIdentifier)) throw new Error('a name is missing in it');
    return node.getValue();
  }

  number(node: Node | undefined): number {
    if (!(node instanceof this.asn1.Integer)) throw new Error('a number is missing in it');
    return node.valueBlock.valueDec;
  }

  bytes(node: Node | undefined): Buffer {
    if (!(node instanceof this.asn1.OctetString)) throw new Error('bytes are missing in it');
    return Buffer.from(node.getValue());
  }

  time(node: Node | undefined): Date {
    if (!(node instanceof this.asn1.GeneralizedTime)) throw new Error('the time is missing in it');
    return node.toDate();
  }

  /** The value's own bytes, as they were read. */
  raw(node: Node): Buffer {
    return Buffer.from(node.valueBeforeDecodeView);
  }

  /** Whether an attribute of this name is there once, with one value, for which `test` is true. */
  attribute(attributes: Node, name: string, test: (node: Node) => boolean): boolean {
    const found = this.items(attributes)
      .map((one) => this.items(one))
      .filter(([id]) => this.oid(id) === name);
    const values = found.length === 1 ? this.items(found[0]![1]) : [];
    return values.length === 1 && test(values[0]!);
  }
}
