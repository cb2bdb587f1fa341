/** The schemas of the settings in the table (variables.ts), from text to values. */
import { isIPv6 } from 'node:net';
import { z } from 'zod';
import { starterOf } from '../shared/approval/approval';
import { KEYWORD_BYTES } from '../shared/search-attributes';
import { withoutPassword } from '../shared/text/secrets';
import { isLoopback } from '../temporal/address';

/** Where a server of ours listens. */
export interface BindAddress {
  host: string;
  port: number;
}

export const DATA_SOURCES = ['snapshot', 'edgar'] as const;

export const port = z
  .string()
  .regex(/^\d{1,5}$/)
  .transform(Number)
  .pipe(z.number().min(1).max(65_535));
/** A port alone means loopback; to listen elsewhere, the setting names the interface. */
export const bindAddress = z
  .string()
  .regex(/^(?:(?:\[[0-9a-f:.]{2,45}\]|[a-z0-9.-]{1,253}):)?\d{1,5}$/i)
  .transform((text): BindAddress => {
    const colon = text.lastIndexOf(':');
    const host = colon < 0 ? '127.0.0.1' : text.slice(0, colon).replace(/^\[|\]$/g, '');
    return { host: host === 'localhost' ? '127.0.0.1' : host, port: Number(text.slice(colon + 1)) };
  })
  .refine(({ port: number }) => number >= 1 && number <= 65_535);
export const seconds = z
  .string()
  .regex(/^\d{1,4}$/)
  .transform(Number)
  .pipe(z.number().max(3600));
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;
export const OTLP_SIGNALS = ['traces', 'metrics', 'logs'] as const;
export const otlpSignals = z
  .string()
  .transform((text) => text.split(',').map((name) => name.trim()))
  .pipe(z.array(z.enum(OTLP_SIGNALS)).min(1));
/** An address to listen at, without a port. */
export const host = z
  .string()
  .regex(/^(?:[0-9a-f:.]*:[0-9a-f:.]+|[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)$/i)
  .refine((name) => !name.includes(':') || isIPv6(name));
/** 0 or more than 1, as Temporal's SDK requires. */
export const cachedWorkflows = z
  .string()
  .regex(/^\d{1,7}$/)
  .transform(Number)
  .refine((count) => count !== 1 && count <= 1_000_000);
export const chainId = z
  .string()
  .regex(/^[1-9]\d{0,14}$/)
  .transform(Number);
export const confirmations = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number);
function parseJsonSetting(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
}
export const sessionKeys = z
  .string()
  .transform(parseJsonSetting)
  .pipe(z.record(z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/), z.string().regex(/^0x[0-9a-fA-F]{64}$/)));
/** `AAA=0x…,BBB=0x…` */
export const tokens = z.string().transform((text, context) =>
  text.split(',').map((entry) => {
    const [, symbol, address] = /^\s*([A-Za-z0-9.$-]{1,16})=(0x[0-9a-fA-F]{40})\s*$/.exec(entry) ?? [];
    if (symbol !== undefined && address !== undefined) return { symbol, address };
    context.addIssue({ code: 'custom', message: 'not SYMBOL=ADDRESS' });
    return z.NEVER;
  }),
);
/** Who may use the gateway, and with which token: settings contain only the token's hash. */
export const principals = z
  .string()
  .max(60_000)
  .transform(parseJsonSetting)
  .pipe(
    z
      .array(
        z.strictObject({
          principal: z.string().min(1).max(200).refine(isPrincipalName),
          roles: z.array(z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/)).max(16),
          token_sha256: z.string().regex(/^[0-9a-f]{64}$/),
        }),
      )
      .max(500),
  );
/** As the Standard Webhooks specification writes keys. */
export const webhookSecret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/)
  .refine((text) => {
    const { length } = Buffer.from(text.slice('whsec_'.length), 'base64');
    return length >= 24 && length <= 64;
  });
export const addresses = z
  .string()
  .max(5000)
  .transform((text) => text.split(',').map((address) => address.trim()))
  .pipe(z.array(z.email().max(254)).max(20));
export const flag = z.enum(['true', 'false', '1', '0']).transform((value) => value === 'true' || value === '1');

/** The form only: `model/` knows the names. */
const FAULT = /^([a-z0-9-]+(:[a-z-]+=[^:*]+)*(\*(\d+|all))?)?$/;
export const faults = z.string().refine((text) => text.split(',').every((word) => FAULT.test(word.trim())));

/** The SEC requires a sender: words, with an e-mail address among them. */
export function namesSomeone(text: string): boolean {
  const words = text.trim().split(/\s+/);
  return /^[\x20-\x7e]+$/.test(text) && words.length > 1 && words.some((word) => /^[^@]+@[^@.]+\.[^@]+$/.test(word));
}

/**
 * `name` or `tenant/name`; the tenants `schedule` and `trigger` have no people. Search attributes cut longer names, so that names which differ only beyond the limit would be the same
 * there.
 */
function isPrincipalName(name: string): boolean {
  return (
    /^[^/]+(?:\/[^/]+)?$/.test(name) &&
    starterOf(name) === null &&
    name.isWellFormed() &&
    Buffer.byteLength(name) <= KEYWORD_BYTES
  );
}

/** Answers contain the URL, so it must have no password. */
export function hasNoPassword(url: string): boolean {
  return withoutPassword(url) === url;
}

/** With TLS, or on this machine. */
export function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'https:' || isLoopback(hostname);
}

/**
 * Where browsers reach the gateway: an origin, and a path below which everything is. Without TLS only on this machine, since the page
 * signs people in, and browsers give passkeys to such pages alone.
 */
export function isPageAddress(text: string): boolean {
  return !/[?#;,]/.test(text) && isSafeUrl(text);
}
