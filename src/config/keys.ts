/** The keys of a process: which signed decisions count, what the gateway signs with, and what signs bundles. */
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from './error';
import type { Reader } from './variables';

/** The key that signs bundles: a file, the key itself, or a command that signs. */
export type BundleKeyConfig = { file: string } | { pem: string } | { command: string; public: string };

export interface KeyConfig {
  /** Folder of holdfast's state. */
  home: string;
  /** File of the keys whose signed decisions count; it may be missing. */
  trustedKeys: string;
  /** What signs audit bundles; null: not set, holdfast then makes a key. */
  bundleKey: BundleKeyConfig | null;
  /** Where kept bundles get receipts. Null: nowhere. */
  receipts: { witness: { url: string; token: string } | null; timestamp: string | null };
}

export function defaultTrustedKeys(home: string): string {
  return join(home, 'keys', 'trusted.json');
}

export function defaultSigningKey(home: string): string {
  return join(home, 'keys', 'gateway.pem');
}

/** The bundle key that is made if no other is named. */
export function defaultBundleKey(home: string): string {
  return join(home, 'keys', 'bundle.pem');
}

/** Input for `bundleSigner`. A key that holdfast made is added to the file of trusted keys only if that file is the default too. */
export function bundleKeyPlaces({ home, bundleKey, trustedKeys }: KeyConfig): {
  named: BundleKeyConfig | null;
  made: string;
  trustedKeys: string | null;
} {
  const own = trustedKeys === defaultTrustedKeys(home);
  return { named: bundleKey, made: defaultBundleKey(home), trustedKeys: own ? trustedKeys : null };
}

/** Null if the file is missing or this user may not read it: it is only the default, so that is no error. */
export function readablePath(path: string): string | null {
  try {
    accessSync(path, constants.R_OK);
    return path;
  } catch {
    return null;
  }
}

/** The key of now: a gateway makes the default one at its start, which may be after this process has read its settings. */
export function signingKeyOf({ home, signingKey }: { home: string; signingKey: string | null }): string | null {
  return signingKey ?? readablePath(defaultSigningKey(home));
}

export function receiptsOf(read: Reader): KeyConfig['receipts'] {
  const url = read('HOLDFAST_WITNESS_URL');
  const token = read('HOLDFAST_WITNESS_TOKEN');
  if ((url === undefined) !== (token === undefined))
    throw new ConfigError('HOLDFAST_WITNESS_URL and HOLDFAST_WITNESS_TOKEN go together; set both, or neither.');
  return { witness: url === undefined ? null : { url, token: token! }, timestamp: read('HOLDFAST_TIMESTAMP_URL') ?? null };
}

export function bundleKeyOf(read: Reader): BundleKeyConfig | null {
  const values = {
    HOLDFAST_BUNDLE_KEY: read('HOLDFAST_BUNDLE_KEY'),
    HOLDFAST_BUNDLE_KEY_PEM: read('HOLDFAST_BUNDLE_KEY_PEM'),
    HOLDFAST_BUNDLE_SIGNER: read('HOLDFAST_BUNDLE_SIGNER'),
  };
  const { HOLDFAST_BUNDLE_KEY: file, HOLDFAST_BUNDLE_KEY_PEM: pem, HOLDFAST_BUNDLE_SIGNER: command } = values;
  const names = Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (names.length > 1) throw new ConfigError(`${names.join(' and ')} are both set; one key signs bundles.`);
  const publicKey = read('HOLDFAST_BUNDLE_SIGNER_PUBLIC');
  if ((command === undefined) !== (publicKey === undefined))
    throw new ConfigError('HOLDFAST_BUNDLE_SIGNER and HOLDFAST_BUNDLE_SIGNER_PUBLIC go together; set both, or neither.');
  if (command !== undefined) return { command, public: publicKey! };
  return file !== undefined ? { file } : pem !== undefined ? { pem } : null;
}

/** Null: neither is set. @throws ConfigError if both are */
export function codecKeysOf(read: Reader): string | { command: string } | null {
  const file = read('HOLDFAST_CODEC_KEYS');
  const command = read('HOLDFAST_CODEC_KEYS_COMMAND');
  if (file !== undefined && command !== undefined)
    throw new ConfigError('HOLDFAST_CODEC_KEYS and HOLDFAST_CODEC_KEYS_COMMAND are both set; one key ring encrypts.');
  return file ?? (command === undefined ? null : { command });
}
