/** Measures members that no fault ends, and the connections to PostgreSQL, every few seconds. */
import { readdirSync } from 'node:fs';
import { Client } from 'pg';
import { residentMb } from '../support/process-figures';
import type { Deployment } from './deployment';
import type { Sample } from './verdict';

const EVERY_MS = 5000;

/** @returns the samples so far, and what ends the measurement */
export function sample({ steady, connections }: Pick<Deployment, 'steady' | 'connections'>): { samples: Sample[]; stop(): void } {
  const began = Date.now();
  const samples: Sample[] = [];
  const look = async () => {
    const figures: Sample['members'] = {};
    for (const member of steady) {
      const pid = await member.pid();
      if (pid === null) continue;
      try {
        figures[member.name] = { mb: residentMb(pid), files: readdirSync(`/proc/${pid}/fd`).length };
      } catch {
        // it is gone
      }
    }
    samples.push({ at: (Date.now() - began) / 1000, members: figures, connections: await connections() });
  };
  const timer = setInterval(() => void look(), EVERY_MS);
  return { samples, stop: () => clearInterval(timer) };
}

/** @param store URL of the database. @returns null: it did not answer */
export async function connectionsTo(store: string): Promise<number | null> {
  const client = new Client({ connectionString: store, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = 'postgres' and pid <> pg_backend_pid()",
    );
    return rows[0]!.n;
  } catch {
    return null;
  } finally {
    await client.end().catch(() => undefined);
  }
}
