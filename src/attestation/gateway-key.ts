/** The key that a gateway signs with, and what it says with it. If the settings name none, it is made at the first start. */
import { verify } from 'node:crypto';
import { existsSync } from 'node:fs';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import type { Store } from '../store/store';
import { signedBytes } from './claims';
import { publicKey } from './public-key';
import { SigningKey } from './signing-key';
import { notInForce, updateTrustedKeys, type TrustedKey, type TrustEntry } from './trusted-keys';

/** An entry for the file of trusted keys. */
export function trustedEntry(
  key: Pick<SigningKey, 'kid' | 'public'>,
  { bundle, enroller, ...who }: Pick<TrustedKey, 'principal' | 'roles' | 'expires_at'> & { bundle?: true; enroller?: true } = {},
): TrustedKey {
  const use = bundle ? 'bundle' : enroller ? 'enroller' : who.principal === undefined ? 'gateway' : 'principal';
  return { kid: key.kid, public: key.public, use, ...who, created_at: new Date().toISOString() };
}

export interface KeyPlaces {
  /** The key that the settings name, or one that exists already; null: there is none yet. */
  signingKey: string | null;
  /** Path for a new key. */
  made: string;
  /** The file that a new key is added to. Null: holdfast may not write the workers' file. */
  trustedKeys: string | null;
}

/** @throws BadSigningKey, BadKeyFile */
export async function gatewayKey({ signingKey, made, trustedKeys }: KeyPlaces): Promise<SigningKey> {
  return signingKey === null ? ownKey(made, trustedKeys) : SigningKey.read(signingKey);
}

/**
 * The key at `path`. If there is none, it is made; of several processes at once, one makes it, and the others use it.
 * @param trustedKeys the file that a new key is added to; null: holdfast may not write it
 * @throws BadSigningKey, BadKeyFile
 */
export async function ownKey(path: string, trustedKeys: string | null, use: { bundle?: true } = {}): Promise<SigningKey> {
  if (existsSync(path)) return SigningKey.read(path);
  const key = SigningKey.generate();
  const save = () => key.save(path);
  if (trustedKeys === null) return (await save()) ? key : SigningKey.read(path);
  // Trusted before it is saved: a process that dies in between leaves a key that nobody has, not one that nobody trusts.
  const enter = (keys: TrustEntry[]) => (existsSync(path) ? keys : [...keys, trustedEntry(key, use)]);
  return (await updateTrustedKeys(trustedKeys, enter, save)) ? key : SigningKey.read(path);
}

const KEY_REGISTER = 'gateway-keys';
const MAX_KEYS = 50;
const FORGOTTEN_AFTER_MS = 30 * 24 * 3_600_000;

/**
 * Records in the store which key a gateway signs with, so that `doctor` finds the workers that do not trust it. No worker trusts it
 * because of this.
 */
export async function announceKey({ registers }: Pick<Store, 'registers'>, { kid }: Pick<SigningKey, 'kid'>): Promise<void> {
  await registers.update(KEY_REGISTER, (entry, now) => {
    const others = Object.entries(timesOf(entry)).filter(([other]) => other !== kid);
    return { value: Object.fromEntries([[kid, now], ...others].slice(0, MAX_KEYS)), answer: null };
  });
}

/** The keys of gateways over this store that were started in the last 30 days. */
export async function announcedKeys(read: (register: string) => Promise<{ value: Json; now: number }>): Promise<string[]> {
  const { value, now } = await read(KEY_REGISTER);
  return Object.entries(timesOf(value)).flatMap(([kid, at]) => (at > now - FORGOTTEN_AFTER_MS ? [kid] : []));
}

function timesOf(entry: Json): Record<string, number> {
  return isJsonObject(entry) ? (entry as Record<string, number>) : {};
}

// What gateways tell each other through the store, such as that somebody has signed in. Workers write the store too, so a gateway signs
// what it says with its own key, and what no gateway has signed counts for nothing. The field `v` says what a statement is about: no
// decision, start or deputyship has such a `v`, so no signature of one kind serves as one of another.

export type Statement = JsonObject & { v: `holdfast.gateway-says/${string}` };

/** Fields beside what was signed. */
export type Seal = {
  kid: string;
  /** Ed25519, base64url. */
  signature: string;
};

/** Whether a gateway has said this, in the store of these statements. */
export type IsSaid = (statement: Statement, seal: Json) => boolean;

export class GatewayWord {
  /**
   * @param storeId what is said in one store counts in no other
   * @param trust the trusted keys of this host: other gateways' count if they stand there
   */
  constructor(
    private readonly key: Pick<SigningKey, 'kid' | 'public' | 'sign'>,
    private readonly storeId: string,
    private readonly trust: () => Promise<readonly TrustEntry[]>,
  ) {}

  say(statement: Statement): Seal {
    return { kid: this.key.kid, signature: this.key.sign(this.bytes(statement)).toString('base64url') };
  }

  /** By the keys of now. */
  async check(): Promise<IsSaid> {
    const keys = gatewayKeys(this.key, await this.trust());
    return (statement, seal) => {
      const { kid, signature } = isJsonObject(seal) ? seal : {};
      const key = typeof kid === 'string' ? keys.get(kid) : undefined;
      if (key === undefined || typeof signature !== 'string') return false;
      return verify(null, this.bytes(statement), publicKey(key), Buffer.from(signature, 'base64url'));
    };
  }

  private bytes(statement: Statement): Buffer {
    return signedBytes({ ...statement, store_id: this.storeId });
  }
}

/**
 * Public keys by their ids: this gateway's own, and those of trusted gateways that may sign as much as it. A gateway that signs decisions
 * does not believe one whose key may not: that one would decide by what it says.
 */
function gatewayKeys(
  { kid, public: own }: Pick<SigningKey, 'kid' | 'public'>,
  trust: readonly TrustEntry[],
): Map<string, string> {
  const decides = !trust.some((one) => one.kid === kid && one.use === 'gateway' && one.decides === false);
  const others = trust.flatMap((one) =>
    one.use === 'gateway' && (one.decides !== false || !decides) && notInForce(one, Date.now()) === null
      ? [[one.kid, one.public] as const]
      : [],
  );
  return new Map([...others, [kid, own]]);
}
