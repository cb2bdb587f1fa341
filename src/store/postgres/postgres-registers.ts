/**
 * Registers as rows with a version: a change counts only if the version is still the one that it was based on. The clock is the
 * database's, so that machines with different clocks agree.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Json } from '../../shared/json/json';
import { QueueByName, registerKey, registerValue } from '../core/registers';
import type { RegisterChange, RegisterStore } from '../store';
import type { Database } from './database';

/** A value that has not changed for this long says nothing about the present. */
const KEPT_DAYS = 30;
/** Longest pause before the next try after another process was faster, ms. */
const LONGEST_PAUSE = 20;

interface Register {
  version: string;
  value: Json;
  now: number;
}

export class PostgresRegisters implements RegisterStore {
  private readonly queue = new QueueByName();

  constructor(private readonly database: Database) {}

  async read(name: string): Promise<{ value: Json; now: number }> {
    const { value, now } = await this.present(name);
    return { value, now };
  }

  update<T>(name: string, change: RegisterChange<T>): Promise<T> {
    return this.queue.add(name, () => this.swap(name, change));
  }

  /** Removes old registers, except permanent ones (core/registers.ts). */
  async sweep(): Promise<void> {
    await this.database.query(
      `DELETE FROM holdfast.registers WHERE changed_at < now() - $1::int * interval '1 day' AND name NOT LIKE 'kept-%'`,
      [KEPT_DAYS],
    );
  }

  private async swap<T>(name: string, change: RegisterChange<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      const { version, value, now } = await this.present(name);
      const { value: next, answer } = change(value, now);
      if (next === undefined || (await this.replace(registerKey(name), version, next))) return answer;
      await wait(Math.random() * Math.min(LONGEST_PAUSE, 2 * tries));
    }
  }

  /** Version 0 and null if there is none. @throws StoreError `damaged` */
  private async present(name: string): Promise<Register> {
    const key = registerKey(name);
    const [row] = await this.database.query<{ now: string; version: string | null; value: string | null }>(
      `SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, version, value
       FROM (SELECT $1::text AS name) asked LEFT JOIN holdfast.registers USING (name)`,
      [key],
    );
    const { version, value, now } = row!;
    const where = `the row ${key} of holdfast.registers`;
    return { version: version ?? '0', value: value === null ? null : registerValue(name, value, where), now: Number(now) };
  }

  /** False: another process was faster, or this one was, and its answer was lost: then `change` runs again, which is allowed. */
  private async replace(key: string, version: string, value: Json): Promise<boolean> {
    const sql =
      version === '0'
        ? 'INSERT INTO holdfast.registers (name, version, value) VALUES ($1, $2::bigint + 1, $3) ON CONFLICT (name) DO NOTHING RETURNING 1'
        : 'UPDATE holdfast.registers SET version = version + 1, value = $3, changed_at = now() WHERE name = $1 AND version = $2::bigint RETURNING 1';
    return (await this.database.query(sql, [key, version, JSON.stringify(value)])).length === 1;
  }
}
