/** Schemas of the gateway's HTTP settings, and which decisions count. */
import { z } from 'zod';
import type { CallbackHost } from '../shared/wire/callback';
import { isLoopback } from '../temporal/address';
import { ConfigError } from './error';

/** Only signatures that the issuer alone can make: with a shared secret, or none, any server that checks tokens could write one. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const;
const claim = z.string().regex(/^[\x21-\x7e]{1,200}$/);

const jwtSettings = z.strictObject({
  /** The value of `iss`. */
  issuer: z.string().min(1).max(500),
  /** One of these must be in `aud`. */
  audience: z.union([z.string().min(1).max(500), z.array(z.string().min(1).max(500)).min(1).max(10)]),
  jwks_url: z.url({ protocol: /^https?$/ }).refine((url) => url.startsWith('https:') || isLoopback(new URL(url).hostname)),
  algorithms: z.array(z.enum(ALGORITHMS)).min(1).default(['RS256', 'PS256', 'ES256', 'EdDSA']),
  clock_tolerance_seconds: z.number().int().min(0).max(300).default(30),
  principal_claim: claim.default('sub'),
  /** If it is set, a token without this claim belongs to no principal. Not set: all principals are the operator's. */
  tenant_claim: claim.optional(),
  roles_claim: claim.default('roles'),
});
export type JwtSettings = z.output<typeof jwtSettings>;

export const jwt = z.string().max(10_000).transform(parseJsonSetting).pipe(jwtSettings);

function parseJsonSetting(text: string, context: z.RefinementCtx): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'not JSON' });
    return z.NEVER;
  }
}

const commaList = z
  .string()
  .max(10_000)
  .transform((text) => text.split(',').map((entry) => entry.trim()));

/** As `Host` has them, without a port. */
export const hosts = commaList.pipe(z.array(z.string().regex(/^([a-z0-9._-]{1,253}|\[[0-9a-f:.]{2,45}\])$/)).max(50));

/** As browsers write them: scheme, host, port, nothing else. */
export const origins = commaList.pipe(
  z.array(z.string().refine((text) => URL.canParse(text) && /^https?:/.test(text) && new URL(text).origin === text)).max(50),
);

const DEFAULT_PORT: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** `hooks.example.com`, `hooks.example.com:8443`, `http://hooks.example.com`; `+private` after it. */
export const callbackHosts = commaList.pipe(
  z
    .array(
      z.string().transform((entry, context): CallbackHost => {
        const [, scheme = 'https://', host = '', isPrivate] =
          /^(https?:\/\/)?([a-z0-9.:[\]-]{1,260})(\+private)?$/.exec(entry) ?? [];
        const url = host !== '' && URL.canParse(scheme + host) ? new URL(scheme + host) : null;
        // Only the normal form: nobody would see where `0x7f.1` or `127.1` leads.
        if (url !== null && (url.host === host || `${url.hostname}:${DEFAULT_PORT[url.protocol]}` === host)) {
          const port = url.port === '' ? null : Number(url.port);
          return { hostname: url.hostname, port, http: scheme === 'http://', private: isPrivate !== undefined };
        }
        context.addIssue({ code: 'custom', message: 'not a host' });
        return z.NEVER;
      }),
    )
    .max(100),
);

export const requestsPerMinute = z
  .string()
  .regex(/^[1-9]\d{0,6}$/)
  .transform(Number);
/** @returns ms; null: no limit */
export const startLimit = z
  .string()
  .regex(/^([1-9]\d{0,4}|off)$/)
  .transform((value) => (value === 'off' ? null : Number(value) * 1000));
export const proxies = z.string().regex(/^\d$/).transform(Number);

// What approvals need on a worker. If others could reach the server, it must be set.

export type Channel = 'any' | 'attested';

/**
 * @param address of the Temporal server, HOST:PORT
 * @throws ConfigError when it is not set and the server is not on loopback
 */
export function approvalsChannel({
  approvals,
  temporal: { address },
}: {
  approvals?: Channel;
  temporal: { address: string };
}): Channel {
  if (approvals !== undefined) return approvals;
  if (isLoopback(address)) return 'any';
  throw new ConfigError(
    `HOLDFAST_APPROVALS is not set, and Temporal at ${address} is not on loopback: anybody who reaches that server can approve under any name. Set HOLDFAST_APPROVALS=attested, so that only signed decisions count, or HOLDFAST_APPROVALS=any if all who reach it may approve (docs/approvals.md).`,
  );
}
