/**
 * The signatures of webhooks, by their senders' public rules: Standard Webhooks, GitHub, Stripe and Slack. Each is an HMAC-SHA256 over the
 * bytes of the body as they came, under a secret that sender and receiver share. Several secrets may hold at once, so that one can be
 * replaced while deliveries come. Where the sender signs the time, a delivery counts within five minutes of it.
 *
 * Signatures are compared as texts, each with each, in constant time: what is compared tells nothing, and a signature that decodes to
 * the same bytes but is written otherwise is refused.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject } from '../shared/json/json';

/** A delivery whose sender is not known yet. */
export interface DeliveryRequest {
  /** Names in lower case. Of a header that came several times, the values with a comma between them. */
  headers: Readonly<Record<string, string>>;
  /** The bytes as they came. */
  body: Buffer;
  /** The body as JSON. @throws if it is not JSON; the delivery is answered with 400 */
  json(): Json;
}

/**
 * The delivery's id; null: it is not the sender's; `answer`: it is, and is answered so without a turn. An empty id: it is the sender's,
 * and names no delivery.
 */
export type Verification = string | null | { answer: JsonObject };

/** How a sender signs: made by `standardWebhooks`, `github`, `stripe` or `slack`. */
export interface SignatureScheme {
  readonly scheme: 'standard-webhooks' | 'github' | 'stripe' | 'slack';
  /** The environment variable that has the secrets. */
  readonly secretEnv: string;
  /** @throws what `json` throws */
  verify(request: DeliveryRequest, secrets: readonly string[], nowMs: number): Verification;
}

export interface SecretPlace {
  /**
   * The name of an environment variable of the gateway that has the secret, or several, one a line; or NAME_FILE has the path of a file
   * with them. Read at each delivery.
   */
  secretEnv: string;
}

const TOLERANCE_MS = 5 * 60_000;

/**
 * Standard Webhooks (standardwebhooks.com, 1.0.0), as many services and holdfast itself send them. The secret is `whsec_` and base64; the
 * delivery's id is `webhook-id`, which is signed.
 * @example verify: standardWebhooks({ secretEnv: 'ORDERS_WEBHOOK_SECRET' })
 */
export function standardWebhooks({ secretEnv }: SecretPlace): SignatureScheme {
  return {
    scheme: 'standard-webhooks',
    secretEnv,
    verify({ headers, body }, secrets, nowMs) {
      const { 'webhook-id': id = '', 'webhook-timestamp': time = '', 'webhook-signature': signatures = '' } = headers;
      if (!isInTime(time, nowMs)) return null;
      const keys = secrets
        .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
        .filter(({ length }) => length > 0);
      const sent = signatures.split(' ').filter((one) => one.startsWith('v1,'));
      return hasSignature(
        sent.map((one) => one.slice('v1,'.length)),
        keys,
        [`${id}.${time}.`, body],
        'base64',
      )
        ? id
        : null;
    },
  };
}

/**
 * GitHub: `X-Hub-Signature-256`. The delivery's id is `X-GitHub-Delivery`. GitHub signs the body only, neither the id nor a time: who
 * reads a delivery can send it again under another id.
 * @example verify: github({ secretEnv: 'GITHUB_WEBHOOK_SECRET' })
 */
export function github({ secretEnv }: SecretPlace): SignatureScheme {
  return {
    scheme: 'github',
    secretEnv,
    verify({ headers, body }, secrets) {
      const { 'x-hub-signature-256': signature = '', 'x-github-delivery': id = '' } = headers;
      const sent = signature.startsWith('sha256=') ? [signature.slice('sha256='.length)] : [];
      return hasSignature(sent, secrets, [body], 'hex') ? id : null;
    },
  };
}

/**
 * Stripe: `Stripe-Signature`, with `t=` and one or several `v1=`. The delivery's id is that of the event in the body.
 * @example verify: stripe({ secretEnv: 'STRIPE_WEBHOOK_SECRET' })
 */
export function stripe({ secretEnv }: SecretPlace): SignatureScheme {
  return {
    scheme: 'stripe',
    secretEnv,
    verify({ headers, body, json }, secrets, nowMs) {
      const parts = (headers['stripe-signature'] ?? '').split(',').map((part) => part.trim());
      const valuesOf = (name: string) =>
        parts.filter((part) => part.startsWith(`${name}=`)).map((part) => part.slice(name.length + 1));
      const [time = '', ...more] = valuesOf('t');
      if (more.length > 0 || !isInTime(time, nowMs)) return null;
      return hasSignature(valuesOf('v1'), secrets, [`${time}.`, body], 'hex') ? idIn(json(), 'id') : null;
    },
  };
}

/**
 * Slack's Events API: `X-Slack-Signature`. The delivery's id is `event_id` of the body. Slack's question whether the address is ours
 * (`url_verification`) is answered.
 * @example verify: slack({ secretEnv: 'SLACK_SIGNING_SECRET' })
 */
export function slack({ secretEnv }: SecretPlace): SignatureScheme {
  return {
    scheme: 'slack',
    secretEnv,
    verify({ headers, body, json }, secrets, nowMs) {
      const { 'x-slack-request-timestamp': time = '', 'x-slack-signature': signature = '' } = headers;
      if (!isInTime(time, nowMs)) return null;
      const sent = signature.startsWith('v0=') ? [signature.slice('v0='.length)] : [];
      if (!hasSignature(sent, secrets, [`v0:${time}:`, body], 'hex')) return null;
      const event = json();
      if (!isJsonObject(event) || event.type !== 'url_verification') return idIn(event, 'event_id');
      return { answer: { challenge: event.challenge ?? '' } };
    },
  };
}

/** @param time Unix time in seconds, as text */
function isInTime(time: string, nowMs: number): boolean {
  return /^[0-9]{1,12}$/.test(time) && Math.abs(nowMs - Number(time) * 1000) <= TOLERANCE_MS;
}

/** Whether one of the signatures is that of the content under one of the keys. */
function hasSignature(
  signatures: readonly string[],
  keys: readonly (string | Buffer)[],
  content: readonly (string | Buffer)[],
  encoding: 'hex' | 'base64',
): boolean {
  const own = keys.map((key) => content.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest(encoding));
  const isSame = (a: Buffer, b: Buffer) => a.length === b.length && timingSafeEqual(a, b);
  const equal = own.flatMap((one) => signatures.filter((sent) => isSame(Buffer.from(one), Buffer.from(sent))));
  return equal.length > 0;
}

/** Empty: there is none. */
function idIn(body: Json, field: string): string {
  const id = isJsonObject(body) ? body[field] : null;
  return typeof id === 'string' ? id : '';
}
