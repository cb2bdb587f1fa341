/** Where the calls of a server's tools go, for the card and the digest: its address or command, without secrets. */
import { hashJson } from '../../shared/digests';
import type { JsonObject } from '../../shared/json';
import type { Connection } from './connection';

const LONGEST = 1000;

/** @param connection absent: this worker knows no such server any more */
export function targetOf(name: string, connection: Pick<Connection, 'server' | 'clean'> | undefined): JsonObject {
  if (!connection) return { server: name };
  const { server, clean } = connection;
  // What is left out on the card is in the digest all the same.
  const shown = (text: string) => {
    const cleaned = clean(text).toWellFormed();
    return cleaned.length <= LONGEST ? cleaned : `${cleaned.slice(0, LONGEST).toWellFormed()}… (${hashJson(cleaned)})`;
  };
  if (server.transport === 'stdio') {
    const command = shown([server.command, ...server.args.map(quoted)].join(' '));
    const cwd: JsonObject = server.cwd === undefined ? {} : { cwd: shown(server.cwd) };
    return { server: name, command, ...cwd };
  }
  return { server: name, url: shown(server.url) };
}

/** As one argument. */
function quoted(argument: string): string {
  return /^[^\s"']+$/.test(argument) ? argument : JSON.stringify(argument);
}
