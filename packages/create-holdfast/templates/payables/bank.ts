/**
 * A bank that is a file: a line for each transfer. Put the API of your own bank here. Two things have to stay: each transfer carries
 * a key, and the bank can be asked whether it has a transfer with that key.
 */
import { existsSync } from 'node:fs';
import { appendFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';

export interface Transfer {
  key: string;
  iban: string;
  cents: number;
  reference: string;
}

const ledger = () => join(process.env.STATE_DIR ?? '.', 'ledger.jsonl');

export async function sendTransfer(transfer: Transfer): Promise<void> {
  await appendFile(ledger(), `${JSON.stringify(transfer)}\n`);
}

export async function findTransfer(key: string): Promise<Transfer | undefined> {
  return (await transfers()).find((transfer) => transfer.key === key);
}

export async function transfers(): Promise<Transfer[]> {
  if (!existsSync(ledger())) return [];
  const lines = (await readFile(ledger(), 'utf8')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as Transfer);
}
