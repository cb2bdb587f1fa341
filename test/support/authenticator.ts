/**
 * An authenticator in software: it makes registrations and assertions as a browser hands them on, and wrong ones where a test says
 * so. Its signatures are genuine; what they cover is up to the test.
 */
import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { PasskeyAlg } from '../../src/attestation/passkey-key';
import type { JsonObject } from '../../src/shared/json/json';

export interface Signed {
  /** Of the page. */
  origin: string;
  rpId: string;
  /** Present, verified: 0x05. */
  flags: number;
  counter: number;
  /** Members of the client data that differ, or come on top; undefined: left out. */
  clientData: Record<string, unknown>;
  /** The client data as it stands, in place of all that. */
  clientDataText: string;
  /** Bytes after the head of the authenticator data. */
  extensions: Uint8Array;
}

export interface AssertionResponse {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; authenticatorData: string; signature: string };
  clientExtensionResults: Record<string, never>;
}

export interface RegistrationResponse {
  id: string;
  rawId: string;
  type: 'public-key';
  response: { clientDataJSON: string; attestationObject: string; transports: 'internal'[] };
  clientExtensionResults: Record<string, never>;
}

const AAGUID = Buffer.from('0011223344556677889900aabbccddee', 'hex');
const KINDS = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  RS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
};

export class SoftAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url');
  /** JWK. */
  readonly public: JsonObject;
  counter = 0;
  private readonly key: KeyObject;

  constructor(
    readonly alg: PasskeyAlg = 'ES256',
    readonly site = { origin: 'https://desk.example', rpId: 'desk.example' },
  ) {
    const { publicKey, privateKey } = KINDS[alg]();
    this.key = privateKey;
    this.public = publicKey.export({ format: 'jwk' }) as JsonObject;
  }

  /** Signs a challenge. */
  assert(challenge: string, changed: Partial<Signed> = {}): AssertionResponse {
    const { origin, rpId, flags, counter, extensions } = this.withDefaults(changed, 0x05);
    const clientData = changed.clientDataText ?? clientDataOf('webauthn.get', challenge, origin, changed.clientData);
    const data = Buffer.concat([headOf(rpId, flags, counter), extensions]);
    const signature = this.sign(Buffer.concat([data, sha256(Buffer.from(clientData))]));
    return {
      ...this.named(),
      response: { clientDataJSON: base64url(clientData), authenticatorData: base64url(data), signature: base64url(signature) },
    };
  }

  /** Answers a request to register. */
  register(challenge: string, changed: Partial<Signed> = {}): RegistrationResponse {
    const { origin, rpId, flags, counter } = this.withDefaults(changed, 0x45);
    const id = Buffer.from(this.credentialId, 'base64url');
    const idLength = Buffer.from([id.length >> 8, id.length & 255]);
    const authData = Buffer.concat([headOf(rpId, flags, counter), AAGUID, idLength, id, cbor(this.coseKey())]);
    const attestation = new Map<string, unknown>(Object.entries({ fmt: 'none', attStmt: new Map(), authData }));
    const clientData = changed.clientDataText ?? clientDataOf('webauthn.create', challenge, origin, changed.clientData);
    return {
      ...this.named(),
      response: {
        clientDataJSON: base64url(clientData),
        attestationObject: base64url(cbor(attestation)),
        transports: ['internal'],
      },
    };
  }

  sign(bytes: Uint8Array): Buffer {
    return this.alg === 'EdDSA' ? sign(null, bytes, this.key) : sign('sha256', bytes, this.key);
  }

  private withDefaults(changed: Partial<Signed>, flags: number) {
    return { ...this.site, flags, counter: this.counter, extensions: new Uint8Array(), ...changed };
  }

  private named() {
    return { id: this.credentialId, rawId: this.credentialId, type: 'public-key' as const, clientExtensionResults: {} };
  }

  private coseKey(): Map<number, unknown> {
    const bytes = (name: string) => Buffer.from(this.public[name] as string, 'base64url');
    if (this.alg === 'ES256')
      return new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, bytes('x')],
        [-3, bytes('y')],
      ]);
    if (this.alg === 'EdDSA')
      return new Map<number, unknown>([
        [1, 1],
        [3, -8],
        [-1, 6],
        [-2, bytes('x')],
      ]);
    return new Map<number, unknown>([
      [1, 3],
      [3, -257],
      [-1, bytes('n')],
      [-2, bytes('e')],
    ]);
  }
}

function clientDataOf(type: string, challenge: string, origin: string, changed: Record<string, unknown> = {}): string {
  return JSON.stringify({ type, challenge, origin, crossOrigin: false, ...changed });
}

function headOf(rpId: string, flags: number, counter: number): Buffer {
  const rest = Buffer.alloc(5);
  rest.writeUInt8(flags, 0);
  rest.writeUInt32BE(counter, 1);
  return Buffer.concat([sha256(Buffer.from(rpId)), rest]);
}

/** Small integers, bytes, texts and maps: all that an attestation without a statement has. */
export function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value);
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Uint8Array) return Buffer.concat([cborHead(2, value.length), value]);
  if (!(value instanceof Map)) throw new TypeError('this is not needed here');
  const members = [...value].flatMap(([key, item]) => [cbor(key), cbor(item)]);
  return Buffer.concat([cborHead(5, value.size), ...members]);
}

function cborHead(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

function base64url(value: string | Uint8Array): string {
  return (typeof value === 'string' ? Buffer.from(value) : Buffer.from(value)).toString('base64url');
}
