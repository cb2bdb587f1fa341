/** Which TCP ports a process and its children listen on, as Linux has it under /proc. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Listening {
  pid: number;
  host: string;
  port: number;
}

const LISTEN = '0A';

export function listening(pids: readonly number[]): Listening[] {
  const sockets = new Map([...socketsOf('/proc/net/tcp'), ...socketsOf('/proc/net/tcp6')]);
  const found = pids.flatMap((pid) =>
    inodesOf(pid).flatMap((inode) => {
      const at = sockets.get(inode);
      return at ? [{ pid, ...at }] : [];
    }),
  );
  // A child that was forked may hold its parent's socket too.
  return found.filter((one, index) => found.findIndex(({ host, port }) => host === one.host && port === one.port) === index);
}

function socketsOf(table: string): [string, { host: string; port: number }][] {
  const [, ...rows] = readFileSync(table, 'utf8').trim().split('\n');
  return rows.flatMap((row) => {
    const [, local, , state, , , , , , inode] = row.trim().split(/\s+/);
    const [host, port] = local!.split(':');
    return state === LISTEN ? [[inode!, { host: addressOf(host!), port: parseInt(port!, 16) }] as const] : [];
  }) as [string, { host: string; port: number }][];
}

/** The kernel prints each word of an address as the machine keeps it: here the lowest byte first. */
function addressOf(hex: string): string {
  if (hex.length === 8) return Buffer.from(hex, 'hex').reverse().join('.');
  return /^0{32}$/.test(hex) ? '::' : hex === '00000000000000000000000001000000' ? '::1' : hex;
}

function inodesOf(pid: number): string[] {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).flatMap((name) => {
    try {
      return /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1] ?? [];
    } catch {
      return []; // closed meanwhile
    }
  });
}
