import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const manifest = JSON.parse(readFileSync(join(__dirname, '..', 'package.json'), 'utf8')) as {
  version: string;
  engines: { node: string };
};

/** This package's version, from its package.json. */
export const version = manifest.version;

/** Which Node it needs, `>=20.3`. */
export const neededNode = manifest.engines.node;
