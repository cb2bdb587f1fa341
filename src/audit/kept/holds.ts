/** Legal holds: the bundles of a turn that is held are never deleted. `holds.jsonl` has each hold and each release, in order. */
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { JsonObject } from '../../shared/json';
import { LogFile } from './log-file';

export interface Hold {
  /** Of a turn, or of a session: then all of its turns are held. */
  turn_id: string;
  reason: string;
  by: string;
  /** ISO 8601. */
  at: string;
}

/** A hold, or its end, that makes no sense. */
export class HoldFault extends Error {
  override readonly name = 'InvalidRequest';
}

const LONGEST_REASON = 1000;

export class Holds {
  private readonly log: LogFile;

  constructor(folder: string) {
    this.log = new LogFile(join(folder, 'holds.jsonl'));
  }

  /** What is held now, by turn. @throws DamagedLog: then nobody can say what may be deleted */
  async all(): Promise<Map<string, Hold>> {
    const held = new Map<string, Hold>();
    for (const { action, ...line } of await this.log.lines()) {
      if (action === 'hold') held.set(String(line.turn_id), line as unknown as Hold);
      else held.delete(String(line.turn_id));
    }
    return held;
  }

  /** @throws HoldFault for a turn that is held already */
  async hold(turnId: string, reason: string): Promise<Hold> {
    if ((await this.all()).has(turnId)) throw new HoldFault(`${turnId} is held already; \`holdfast audit holds\` shows why.`);
    return this.write('hold', turnId, reason);
  }

  /** @throws HoldFault for a turn that is not held */
  async release(turnId: string, reason: string): Promise<Hold> {
    if (!(await this.all()).has(turnId)) throw new HoldFault(`${turnId} is not held; \`holdfast audit holds\` shows what is.`);
    return this.write('release', turnId, reason);
  }

  private async write(action: 'hold' | 'release', turn_id: string, reason: string): Promise<Hold> {
    if (reason.trim() === '' || reason.length > LONGEST_REASON)
      throw new HoldFault(`The reason must have from 1 to ${LONGEST_REASON} characters.`);
    const hold = { turn_id, reason, by: userInfo().username, at: new Date().toISOString() };
    await this.log.append({ v: 'holdfast.hold/1', action, ...hold } as JsonObject);
    return hold;
  }
}

/** The first hold that keeps a bundle of these turns. */
export function holdOn(holds: ReadonlyMap<string, Hold>, turns: readonly string[]): Hold | undefined {
  return [...holds.values()].find(({ turn_id: held }) => turns.some((turn) => turn === held || turn.startsWith(`${held}.`)));
}
