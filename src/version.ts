import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** This package's package.json. */
export const manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
  peerDependencies: Readonly<Record<string, string>>;
};

/** This package's version, from its package.json. */
export const version = manifest.version;

/** Which Node it needs, `>=20.3`. */
export const neededNode = manifest.engines.node;
