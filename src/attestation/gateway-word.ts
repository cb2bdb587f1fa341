/**
 * What gateways tell each other through the store, such as that somebody has signed in. Workers write the store too, so a gateway signs
 * what it says with its own key, and what no gateway has signed counts for nothing. The field `v` says what a statement is about: no
 * decision, start or deputyship has such a `v`, so no signature of one kind serves as one of another.
 */
import { verify } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';
import { signedBytes } from './claims';
import { publicKey } from './public-key';
import type { SigningKey } from './signing-key';
import { notInForce, type TrustEntry } from './trusted-keys';

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
