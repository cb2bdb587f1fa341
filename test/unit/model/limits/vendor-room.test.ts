import * as fc from 'fast-check';
import { rateReport, usedUpMs } from '../../../../src/model/limits/vendor-room';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const report = (headers: Record<string, string>) => rateReport(new Headers(headers), NOW);

describe('the rate headers of vendors', () => {
  it('are read as Anthropic writes them', () => {
    const headers = {
      'anthropic-ratelimit-requests-limit': '50',
      'anthropic-ratelimit-requests-remaining': '3',
      'anthropic-ratelimit-requests-reset': '2026-11-28T12:00:30Z',
      'anthropic-ratelimit-tokens-limit': '40000',
      'anthropic-ratelimit-tokens-remaining': '12000',
      'anthropic-ratelimit-tokens-reset': '2026-11-28T12:00:42Z',
    };
    expect(report(headers)).toEqual({
      requests: { limit: 50, remaining: 3, resetMs: 30_000 },
      tokens: { limit: 40_000, remaining: 12_000, resetMs: 42_000 },
    });
  });

  it('are read as OpenAI writes them', () => {
    const headers = {
      'x-ratelimit-limit-requests': '60',
      'x-ratelimit-remaining-requests': '59',
      'x-ratelimit-reset-requests': '1s',
      'x-ratelimit-limit-tokens': '150000',
      'x-ratelimit-remaining-tokens': '149984',
      'x-ratelimit-reset-tokens': '6m0s',
    };
    expect(report(headers)).toEqual({
      requests: { limit: 60, remaining: 59, resetMs: 1000 },
      tokens: { limit: 150_000, remaining: 149_984, resetMs: 360_000 },
    });
  });

  it('may give the time in any of the usual forms', () => {
    const resetMs = (reset: string) =>
      report({ 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': reset })?.requests?.resetMs;
    expect(['20ms', '1.5s', '1h2m3s', '2', '0.25', String(NOW / 1000 + 7)].map(resetMs)).toEqual([
      20,
      1500,
      undefined,
      2000,
      250,
      7000,
    ]);
    expect(resetMs('59m0s')).toBe(3_540_000);
  });

  it('say how long a limit is used up', () => {
    const headers = { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '12s' };
    expect(usedUpMs(new Headers(headers), NOW)).toBe(12_000);
    expect(usedUpMs(new Headers({ ...headers, 'x-ratelimit-remaining-tokens': '1' }), NOW)).toBeUndefined();
  });

  it('are nothing if they cannot be understood, whatever they hold', () => {
    expect(report({})).toBeUndefined();
    const text = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(text, text, text, (limit, remaining, reset) => {
        const values: Record<string, string> = {
          'x-ratelimit-limit-requests': limit,
          'x-ratelimit-remaining-requests': remaining,
          'x-ratelimit-reset-requests': reset,
        };
        const { requests } = rateReport({ get: (name) => values[name] ?? null }, NOW) ?? {};
        if (requests === undefined) return;
        expect(requests.remaining).toBeGreaterThanOrEqual(0);
        expect(requests.resetMs).toBeGreaterThanOrEqual(0);
        expect(requests.resetMs).toBeLessThanOrEqual(3_600_000);
      }),
    );
  });
});
