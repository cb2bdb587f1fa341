/** Reads this package's package.json: its version, the Node that it needs, its optional packages. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** This package's package.json. */
export const manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
  peerDependencies: Readonly<Record<string, string>>;
};

export const version = manifest.version;

/** The Node version that it needs, `>=20.3`. */
export const neededNode = manifest.engines.node;
