import * as fc from 'fast-check';
import { canonical } from '../../../../src/shared/json/canonical';
import type { Json, JsonObject } from '../../../../src/shared/json/json';
import { targetOf } from '../../../../src/tools/admit/policy';
import { cacheKey, ResultCache } from '../../../../src/tools/run/cache';
import { pays, reads } from '../../../support/tools';
import type { Tool } from '../../../../src/tools/define/tool';

const MINUTE = 60_000;
const quote = (more: Partial<Tool> = {}) => reads('get_quote', () => 1, { cacheTtlMs: MINUTE, ...more });

const keyOf = (tool: Tool, input: JsonObject, turn: { requester: string; agent: string }) =>
  cacheKey(tool, input, turn, targetOf(tool, input));
const ANA = { requester: 'ana', agent: 'ours' };

const names = fc.constantFrom('a', 'b', 'c', '__proto__');
const inputs = fc
  .array(fc.tuple(names, fc.constantFrom<Json>(0, 1, 'x', null, [1])), { maxLength: 3 })
  .map((entries) => Object.fromEntries(entries) as JsonObject);
const who = fc.record({
  requester: fc.constantFrom('ana', 'ben'),
  agent: fc.constantFrom('ours', 'theirs'),
  target: fc.constantFrom<JsonObject | undefined>(undefined, { account: 'DE-1' }, { account: 'DE-2' }),
  tool: fc.constantFrom('get_quote', 'get_price'),
  version: fc.constantFrom('1.0.0', '1.1.0'),
  input: inputs,
});
type Who = typeof who extends fc.Arbitrary<infer T> ? T : never;

describe('the cache of reads', () => {
  it('serves a result exactly to the same requester, agent, tool, version, target and key parameters', () => {
    const params = fc.option(fc.uniqueArray(names), { nil: undefined });
    fc.assert(
      fc.property(who, who, params, (one, other, cacheKeyParams) => {
        const cache = new ResultCache();
        const tool = ({ tool: name, version, target }: Who) => ({ ...quote(), name, version, target, cacheKeyParams }) as Tool;
        const relevant = ({ input, target, ...rest }: Who) => {
          const kept = Object.entries(input).filter(([name]) => !cacheKeyParams || cacheKeyParams.includes(name as never));
          return canonical({ ...rest, target: target ?? null, input: Object.fromEntries(kept) });
        };
        cache.set(tool(one), keyOf(tool(one), one.input, one)!, 'result');
        const served = cache.get(tool(other), keyOf(tool(other), other.input, other)!);
        expect(served !== undefined).toBe(relevant(one) === relevant(other));
      }),
    );
  });

  it('keeps only results of reads that declare a lifetime', () => {
    expect(keyOf(quote(), {}, ANA)).toMatch(/^[0-9a-f]{64}$/);
    expect(
      keyOf(
        reads('now', () => 1),
        {},
        ANA,
      ),
    ).toBeNull();
    for (const toolClass of ['compute', 'write', 'destructive', 'agent'] as const)
      expect(keyOf({ ...pays('pay', []), class: toolClass, cacheTtlMs: MINUTE } as Tool, {}, ANA)).toBeNull();
  });

  it('keeps no result of a tool that cannot say what it acts on', () => {
    const target = () => {
      throw new Error('the account is not known yet');
    };
    expect(keyOf(quote({ target }), {}, ANA)).toBeNull();
  });

  it('gives each caller a copy: changes by one reach no other', () => {
    const cache = new ResultCache();
    const data = { rows: [{ close: 1 }] };
    cache.set(quote(), 'k', data);
    data.rows[0]!.close = 2;
    const first = cache.get(quote(), 'k')!.data as typeof data;
    expect(first.rows[0]!.close).toBe(1);
    first.rows.push({ close: 3 });
    expect(cache.get(quote(), 'k')!.data).toEqual({ rows: [{ close: 1 }] });
  });

  it('says when a result was cached and how long it is still valid, and returns no older one', () => {
    jest.useFakeTimers({ now: Date.parse('2026-11-21T10:00:00Z'), doNotFake: ['performance'] });
    try {
      const cache = new ResultCache();
      cache.set(quote(), 'k', 1);
      jest.setSystemTime(Date.parse('2026-11-21T10:00:40Z'));
      expect(cache.get(quote(), 'k')!.cache).toEqual({ hit: true, cached_at: '2026-11-21T10:00:00.000Z', ttl_remaining: 20 });
      jest.setSystemTime(Date.parse('2026-11-21T10:01:00Z'));
      expect(cache.get(quote(), 'k')).toBeUndefined();
    } finally {
      jest.useRealTimers();
    }
  });

  it('is limited in entries and in bytes, and does not keep a result that is too large', () => {
    const few = new ResultCache({ entries: 2 });
    ['a', 'b', 'c'].forEach((key) => few.set(quote(), key, key));
    expect(['a', 'b', 'c'].map((key) => few.get(quote(), key)?.data)).toEqual([undefined, 'b', 'c']);
    const small = new ResultCache({ bytes: 100, entryBytes: 60 });
    small.set(quote(), 'large', 'x'.repeat(60));
    expect(small.get(quote(), 'large')).toBeUndefined();
    ['a', 'b', 'c'].forEach((key) => small.set(quote(), key, 'é'.repeat(20))); // 42 bytes each
    expect(['a', 'b', 'c'].map((key) => small.get(quote(), key) !== undefined)).toEqual([false, true, true]);
  });
});
