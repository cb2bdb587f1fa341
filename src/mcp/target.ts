/**
 * Describes the target of a server's calls, for the card and the digest: address or command, and account. It holds no secrets. A
 * value of `env` or `headers` may be a secret, or short enough to be guessed. So the target has its digest under a key of the
 * store, unless the entry marks it as `shown` or `ignored` (decision 0033).
 */
import { createHmac } from 'node:crypto';
import { canonical } from '../shared/json/canonical';
import { hashJson } from '../shared/json/digests';
import { getOwn, type Json, type JsonObject } from '../shared/json/json';
import type { Connection } from './connection/connection';
import { FileLogin, type OAuthServer } from './connection/file-login';
import { withOAuth } from './connection/oauth';
import type { ServerConfig } from './servers-file';

const LONGEST = 1000;
/** Limit for names and values together, characters: a person reads the target on a card. */
const MOST_VALUES = 1200;
const NOT_COMPARED = 'not compared';

export interface TargetParts {
  /** A key of the store: every worker gets the same digests, and nobody without the key can test guesses. */
  key: Buffer;
  loginFolder: string;
}

/** @param connection absent: this worker no longer has that server */
export function targetOf(
  name: string,
  connection: Pick<Connection, 'server' | 'clean'> | undefined,
  parts: TargetParts,
): JsonObject {
  if (!connection) return { server: name };
  const { server, clean } = connection;
  // Text that is cut on the card is covered by the digest all the same.
  const mask = (text: string) => {
    const cleaned = clean(text).toWellFormed();
    return cleaned.length <= LONGEST ? cleaned : `${cleaned.slice(0, LONGEST).toWellFormed()}… (${hashJson(cleaned)})`;
  };
  const values = (settings: Record<string, string>) => valuesOf(server, settings, mask, parts.key);
  if (server.transport === 'stdio') {
    const command = mask([server.command, ...server.args.map(quoteArgument)].join(' '));
    const cwd: JsonObject = server.cwd === undefined ? {} : { cwd: mask(server.cwd) };
    return { server: name, command, ...cwd, ...fieldUnlessEmpty('env', values(server.env)) };
  }
  // As sent: the case of a header's name means nothing, and only the last of two is sent.
  const headers = Object.fromEntries(Object.entries(server.headers).map(([header, value]) => [header.toLowerCase(), value]));
  const oauth = withOAuth(server) ? loginOf(server, mask, parts.loginFolder) : {};
  return {
    server: name,
    url: mask(server.url),
    ...fieldUnlessEmpty('headers', values(headers)),
    ...fieldUnlessEmpty('oauth', oauth),
  };
}

/** The client's secret is left out: the client id names the client, and a new secret does not change it. */
function loginOf(server: OAuthServer, mask: (text: string) => string, folder: string): JsonObject {
  const { issuer, clientId, grant } = server.oauth;
  return {
    issuer: mask(issuer),
    ...(clientId === undefined ? {} : { client_id: mask(clientId) }),
    ...(grant === 'authorization_code' ? { login: new FileLogin(server, folder).login } : {}),
  };
}

function valuesOf(server: ServerConfig, settings: Record<string, string>, mask: (text: string) => string, key: Buffer): Json {
  const entries = Object.entries(settings).map(([name, value]) => {
    const how = getOwn(server.target, name);
    if (how === 'ignored') return [name, NOT_COMPARED];
    return [name, how === 'shown' ? mask(value) : keyedDigest(key, { server: server.name, name, value })];
  });
  const all = Object.fromEntries(entries) as JsonObject;
  return canonical(all).length <= MOST_VALUES ? all : keyedDigest(key, { server: server.name, all });
}

/** 128 bits: nobody finds another value with the same digest, and a card stays readable. */
function keyedDigest(key: Buffer, what: JsonObject): string {
  return `digest ${createHmac('sha256', key).update(canonical(what)).digest('hex').slice(0, 32)}`;
}

function fieldUnlessEmpty(name: string, values: Json): JsonObject {
  return typeof values === 'object' && values !== null && Object.keys(values).length === 0 ? {} : { [name]: values };
}

/** Quoted if it has spaces or quotes. */
function quoteArgument(argument: string): string {
  return /^[^\s"']+$/.test(argument) ? argument : JSON.stringify(argument);
}
