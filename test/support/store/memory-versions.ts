/** Effect records in memory, for tests of the rules alone: every version is kept, and what another process does in between can be put in. */
import type { EffectRecord } from '../../../src/record/effect';
import { namesOf, type EffectVersion, type EffectVersions } from '../../../src/store/core/effects';

export class MemoryVersions implements EffectVersions {
  readonly kept: EffectVersion[] = [];
  /** Runs once, right before the next version is created: what another process does just then. */
  meanwhile: (() => void) | null = null;

  async create(record: EffectRecord, version: number): Promise<boolean> {
    const { meanwhile } = this;
    this.meanwhile = null;
    meanwhile?.();
    const { idempotency_key: key, dispatch } = record;
    const taken = this.kept.some(
      (one) => one.record.idempotency_key === key && one.record.dispatch === dispatch && one.version === version,
    );
    if (!taken) this.kept.push({ record, version });
    return !taken;
  }

  async last(key: string, dispatch?: number): Promise<EffectVersion | null> {
    const of = this.kept.filter(
      ({ record }) => record.idempotency_key === key && (dispatch ?? record.dispatch) === record.dispatch,
    );
    return of.sort((a, b) => a.record.dispatch - b.record.dispatch || a.version - b.version).at(-1) ?? null;
  }

  async under(name: string, except?: string): Promise<EffectRecord[]> {
    const named = this.kept.filter(({ record }) => Object.values(namesOf(record)).includes(name));
    const keys = [...new Set(named.map(({ record }) => record.idempotency_key))].filter((key) => key !== except);
    return (await Promise.all(keys.map((key) => this.last(key)))).flatMap((last) => (last === null ? [] : [last.record]));
  }
}
