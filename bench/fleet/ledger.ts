/**
 * The ledger: the other side of the fleet's tools, in a process that no fault reaches. It appends each effect to a file, and
 * answers when the line is on the disk. It takes every request: what happens twice is in the file twice.
 *
 * `node ledger FILE` serves it; `POST /effects` `{key, tool, turn}`, `GET /effects?key=` for the probe of a tool.
 */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface LedgerLine {
  /** Idempotency key of the call. */
  key: string;
  tool: string;
  /** Number of the turn. */
  turn: number;
  /** When it was written, ms since 1970. */
  at: number;
}

export function readLedger(file: string): LedgerLine[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as LedgerLine);
}

/** Before the effect and after it, so that faults fall on both sides; one request in four takes long. */
const pause = () => sleep(Math.random() < 0.25 ? 3000 : Math.random() * 300);

function serveLedger(file: string): void {
  const fd = openSync(file, 'a');
  const counts = new Map<string, number>();
  const post = async (chunks: Buffer[], response: ServerResponse) => {
    const effect = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Omit<LedgerLine, 'at'>;
    await pause();
    writeSync(fd, `${JSON.stringify({ ...effect, at: Date.now() })}\n`);
    fsyncSync(fd);
    counts.set(effect.key, (counts.get(effect.key) ?? 0) + 1);
    await pause();
    response.end('{}');
  };
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url!, 'http://ledger');
    if (request.method === 'GET') return void response.end(JSON.stringify({ count: counts.get(searchParams.get('key')!) ?? 0 }));
    void request.toArray().then((chunks) => post(chunks as Buffer[], response));
  });
  server.listen(0, '127.0.0.1', () => process.send!(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
  process.on('SIGINT', () => undefined); // a terminal's Ctrl-C is for the program that started it
  process.once('disconnect', () => {
    closeSync(fd);
    process.exit(0);
  });
}

if (process.send !== undefined && process.argv[1] === __filename) serveLedger(process.argv[2]!);
