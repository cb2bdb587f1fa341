/** Schemas of the settings by which people sign in at the page: an OpenID provider, and how long they stay signed in. */
import { z } from 'zod';
import { isLoopback } from '../temporal/address';

export interface OidcSettings {
  /** As `iss` has it. */
  issuer: string;
  clientId: string;
  /** Null: a public client, which only PKCE protects. */
  clientSecret: string | null;
  /** Group of the provider → roles here. */
  groups: ReadonlyMap<string, readonly string[]>;
  groupsClaim: string;
  /** Whose text becomes the name; null: `email` if the provider has verified it, else `sub`. */
  nameClaim: string | null;
  /** If it is set, who lacks the claim is refused. Null: all principals are the operator's. */
  tenantClaim: string | null;
  scopes: string;
}

export interface SignInLimits {
  /** Without a request for so long, a sign-in ends, ms. */
  idleMs: number;
  /** After so long it ends in any case, ms. */
  longestMs: number;
}

export interface SignInConfig extends SignInLimits {
  /** Null: people sign in with the gateway's tokens only. */
  oidc: OidcSettings | null;
}

/** Without TLS, whoever is between could write the claims. */
export const issuer = z
  .url({ protocol: /^https?$/ })
  .max(500)
  .refine((text) => !/[?#]/.test(text) && (text.startsWith('https:') || isLoopback(new URL(text).hostname)));
export const clientId = z.string().regex(/^[\x20-\x7e]{1,500}$/);
export const clientSecret = z.string().regex(/^[\x20-\x7e]{1,1000}$/);
export const claimName = z.string().regex(/^[\x21-\x7e]{1,200}$/);
export const scopes = z
  .string()
  .max(1000)
  .regex(/^[\x21-\x7e]+( [\x21-\x7e]+)*$/)
  .refine((text) => text.split(' ').includes('openid'));

const roles = z.array(z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/)).max(16);
export const groups = z
  .string()
  .max(60_000)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'not JSON' });
      return z.NEVER;
    }
  })
  .pipe(z.record(z.string().min(1).max(256), roles))
  .transform((record): ReadonlyMap<string, readonly string[]> => new Map(Object.entries(record)))
  .refine((map) => map.size > 0 && map.size <= 500);

export const minutes = z
  .string()
  .regex(/^[1-9]\d{0,3}$/)
  .transform(Number)
  .pipe(z.number().max(1440));
export const hours = z
  .string()
  .regex(/^[1-9]\d{0,2}$/)
  .transform(Number)
  .pipe(z.number().max(168));
