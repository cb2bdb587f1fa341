import { isModelBusy, limitedModel, type LimitedBy } from '../../../../src/model/limits/limited-model';
import { ModelGate, type Entering, type ModelPlace } from '../../../../src/model/limits/gate';
import { LAG_MS, LEASE_MS, ledgerAt } from '../../../../src/model/limits/ledger';
import type { Wait } from '../../../../src/model/limits/place';
import { ModelFailure, type ModelProvider, type ModelRequest, type ModelResponse } from '../../../../src/model/provider';
import type { ModelLimits } from '../../../../src/model/settings';
import { capturedLog } from '../../../support/captured-log';
import { silent } from '../../../support/silent';
import { MemoryRegisters } from '../../../support/tools/limits/support';

const { signal } = new AbortController();
const entering = (id: string, limits: ModelLimits = { concurrent: 1 }): Entering => ({
  model: 'opus',
  limits,
  asker: { id, of: id, inputTokens: 10, maxTokens: 10 },
});
const NOTHING = { all: 0, answer: 0 };

describe("a model's gate", () => {
  it('lets a request begin once another one has ended, also one of another worker', async () => {
    const registers = new MemoryRegisters();
    const [here, there] = [new ModelGate(registers, silent), new ModelGate(registers, silent)];
    const first = (await here.enter(entering('a'), signal)) as ModelPlace;
    const waits: Wait[] = [];
    const second = there.enter(entering('b'), signal, (wait) => waits.push(wait));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(waits[0]).toMatchObject({ why: 'concurrent', before: 0 });
    await first.leave(NOTHING);
    expect(await second).toMatchObject({ ok: true, waitedMs: expect.any(Number) });
  });

  it('counts a request that begins late, since the store answered late, from when it begins', async () => {
    const registers = new MemoryRegisters();
    const update = registers.update.bind(registers);
    let updates = 0;
    registers.update = async (name, change) => {
      const answer = await update(name, change);
      updates += 1;
      if (updates === 1) await new Promise((resolve) => setTimeout(resolve, LAG_MS / 2 + 100));
      return answer;
    };
    const began = Date.now();
    await new ModelGate(registers, silent).enter(entering('a', { requestsPerMinute: 1 }), signal);
    const moment = { windowMs: 60_000, now: Date.now() };
    const { value } = await registers.read('model/opus');
    const { requests } = ledgerAt(value, moment);
    expect(updates).toBe(2);
    expect(requests).toEqual([[expect.any(Number), 1]]);
    expect(requests[0]![0]).toBeGreaterThan(began + LAG_MS / 2);
  });

  it('sends a request away whose turn is far, and keeps its place', async () => {
    const gate = new ModelGate(new MemoryRegisters(), silent);
    const limits = { requestsPerMinute: 1 };
    await gate.enter(entering('a', limits), signal);
    const away = (await gate.enter(entering('b', limits), signal)) as Wait;
    expect(away).toMatchObject({ ok: false, why: 'requests', before: 0 });
    expect(away.awayMs).toBeGreaterThan(1000);
    expect(await gate.enter(entering('c', limits), signal)).toMatchObject({ before: 1 });
    expect(await gate.enter(entering('b', limits), signal)).toMatchObject({ before: 0 });
  });

  it('ends the waiting of a request that is cancelled, and the next one moves up', async () => {
    const gate = new ModelGate(new MemoryRegisters(), silent);
    await gate.enter(entering('a'), signal);
    const cancel = new AbortController();
    const waiting = gate.enter(entering('b'), cancel.signal);
    await new Promise((resolve) => setTimeout(resolve, 20));
    cancel.abort(new Error('cancelled'));
    await expect(waiting).rejects.toThrow('cancelled');
    const waits: Wait[] = [];
    const other = new AbortController();
    const next = gate.enter(entering('c'), other.signal, (wait) => waits.push(wait)).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    other.abort();
    await next;
    expect(waits[0]).toMatchObject({ before: 0 });
  });

  it('keeps the place of a request that will come back, though it stops waiting now', async () => {
    const gate = new ModelGate(new MemoryRegisters(), silent);
    await gate.enter(entering('a'), signal);
    const shutdown = new AbortController();
    const waiting = gate.enter({ ...entering('b'), keepsPlace: () => true }, shutdown.signal);
    await new Promise((resolve) => setTimeout(resolve, 20));
    shutdown.abort(new Error('WORKER_SHUTDOWN'));
    await expect(waiting).rejects.toThrow('WORKER_SHUTDOWN');
    const other = new AbortController();
    const waits: Wait[] = [];
    const next = gate.enter(entering('c'), other.signal, (wait) => waits.push(wait)).catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, 20));
    other.abort();
    await next;
    expect(waits[0]).toMatchObject({ before: 1 });
  });

  it('does not stay at the front for longer than its patience', async () => {
    const gate = new ModelGate(new MemoryRegisters(), silent, { patienceMs: 0 });
    await gate.enter(entering('a'), signal);
    expect(await gate.enter(entering('b'), signal)).toMatchObject({ ok: false, awayMs: 100 });
  });

  it('keeps the place of a request that runs for long', async () => {
    jest.useFakeTimers();
    try {
      const gate = new ModelGate(new MemoryRegisters(), silent, { patienceMs: 0 });
      const place = (await gate.enter(entering('a'), signal)) as ModelPlace;
      await jest.advanceTimersByTimeAsync(5 * LEASE_MS);
      expect((await gate.enter(entering('b'), signal)).ok).toBe(false);
      await place.leave(NOTHING);
      expect((await gate.enter(entering('b'), signal)).ok).toBe(true);
    } finally {
      jest.useRealTimers();
    }
  });

  it('writes nothing for a model without limits of which the vendor has said nothing', async () => {
    const registers = new MemoryRegisters();
    const gate = new ModelGate(registers, silent);
    const place = (await gate.enter(entering('a', {}), signal)) as ModelPlace;
    await place.noteRates({ requests: { limit: 100, remaining: 99, resetMs: 1000 } });
    await place.leave(NOTHING);
    expect((await registers.read('model/opus')).value).toBeNull();
  });

  it('does not cost a request its answer when the store cannot be written, and says so', async () => {
    const { log, lines } = capturedLog();
    const registers = new MemoryRegisters();
    const place = (await new ModelGate(registers, log).enter(entering('a'), signal)) as ModelPlace;
    registers.update = () => Promise.reject(new Error('disk full'));
    await place.hold(1000);
    await place.leave(NOTHING);
    expect(lines().map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/vendor asked to wait/),
      expect.stringMatching(/place comes free only after/),
    ]);
  });
});

describe('a model that is asked within its limits', () => {
  const REQUEST: ModelRequest = { model: 'm', system: '', messages: [], tools: [], serverTools: [], maxTokens: 100, options: {} };
  const ANSWER = {
    content: [],
    usage: { input_tokens: 20, output_tokens: 7, cache_read_tokens: 3, cache_creation_tokens: 1 },
  } as unknown as ModelResponse;

  const setUp = (request: ModelProvider['request'], more: Partial<LimitedBy> = {}) => {
    const registers = new MemoryRegisters();
    const begun: number[] = [];
    const limited = (id: string) =>
      limitedModel(
        { name: 'vendor', request },
        {
          gate: new ModelGate(registers, silent, { patienceMs: 0 }),
          name: 'opus',
          limits: {},
          id,
          of: id,
          mayPass: false,
          onWait: () => undefined,
          onBegin: (ms) => begun.push(ms),
          ...more,
        },
      );
    const ledger = async () => {
      const { value, now } = await registers.read('model/opus');
      return ledgerAt(value, { windowMs: 60_000, now });
    };
    return { ask: (id: string) => limited(id).request(REQUEST, { signal }), ledger, begun };
  };

  it('counts all tokens that the answer took', async () => {
    const { ask, ledger, begun } = setUp(async () => ANSWER, { limits: { tokensPerMinute: 1000 } });
    await ask('a');
    const { leases, tokens, answers } = await ledger();
    expect({ leases, tokens: tokens[0]![1], answers: answers[0]![1] }).toEqual({ leases: [], tokens: 31, answers: 7 });
    expect(begun).toHaveLength(1);
  });

  it('counts nothing for a request that the vendor refused, and all that it reserved for one whose stream broke', async () => {
    let failure = new ModelFailure('busy', { type: 'model.overloaded', retryable: true, status: 529 });
    const { ask, ledger } = setUp(() => Promise.reject(failure), { limits: { tokensPerMinute: 1000 } });
    await expect(ask('a')).rejects.toThrow('busy');
    expect((await ledger()).tokens).toEqual([]);
    failure = new ModelFailure('broken', { type: 'model.network', retryable: true, status: null });
    await expect(ask('a')).rejects.toThrow('broken');
    expect((await ledger()).tokens[0]![1]).toBeGreaterThanOrEqual(100);
  });

  it('makes all others wait for a pause that the vendor asks for', async () => {
    const facts = { type: 'model.rate_limited', retryable: true, status: 429, retryAfterMs: 60_000 };
    const { ask } = setUp(() => Promise.reject(new ModelFailure('slow down', facts)));
    await expect(ask('a')).rejects.toThrow('slow down');
    const busy: unknown = await ask('b').catch((error: unknown) => error);
    if (!isModelBusy(busy)) throw new Error('it was asked');
    expect(busy.wait).toMatchObject({ why: 'vendor', before: 0 });
  });

  it('leaves the step to another model during a long pause, if there is one', async () => {
    const facts = { type: 'model.rate_limited', retryable: true, status: 429, retryAfterMs: 60_000 };
    const { ask } = setUp(() => Promise.reject(new ModelFailure('slow down', facts)), { mayPass: true });
    await expect(ask('a')).rejects.toThrow('slow down');
    await expect(ask('b')).rejects.toMatchObject({ name: 'ModelFailure', facts: { type: 'model.rate_limited' } });
  });

  it('heeds what the vendor says is left, before it refuses', async () => {
    let requests = 0;
    const { ask } = setUp(async (_, { onRates }) => {
      requests += 1;
      onRates?.({ requests: { limit: 50, remaining: 0, resetMs: 20_000 } });
      return ANSWER;
    });
    await ask('a');
    expect(isModelBusy(await ask('b').catch((error: unknown) => error))).toBe(true);
    expect(requests).toBe(1);
  });
});
