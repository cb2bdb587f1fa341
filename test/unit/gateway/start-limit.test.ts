/** New work is refused while the workers cannot keep up; what was started before, and what people decide, never is. */
import { StartLimit, excessOf } from '../../../src/gateway/http/before-routes';
import { Refusal } from '../../../src/gateway/http/errors';
import { claimOperation } from '../../../src/gateway/http/idempotency';
import { gatewayApp } from '../../../src/gateway/app';
import { gatewayParts, person } from '../../support/gateway';
import { removeStoreDirs, storeDir } from '../../support/store/store-dir';
import { FileStore } from '../../../src/store/files/file-store';
import type { Backlog } from '../../../src/temporal/backlog';

const LIMIT = { ageMs: 30_000, tasks: 100 };
const backlog = (tasks: number, ageMs: number, type: Backlog['type'] = 'workflow'): Backlog => ({ type, tasks, ageMs });
const IDLE = [backlog(0, 0), backlog(0, 0, 'activity')];
const BEHIND = [backlog(0, 0), backlog(400, 40_000, 'activity')];

describe('workers keep up', () => {
  it.each([
    ['nothing waits', IDLE],
    ['many tasks, all of them young: a burst', [backlog(100_000, 30_000)]],
    ['few tasks, however old: workers are being exchanged', [backlog(99, 3_600_000), backlog(99, 3_600_000, 'activity')]],
  ])('while %s', (_name, backlogs) => {
    expect(excessOf(backlogs, LIMIT)).toBeNull();
  });

  it.each([
    ['workflow tasks', [backlog(100, 30_001), backlog(0, 0, 'activity')]],
    ['activity tasks', [backlog(0, 0), backlog(100, 30_001, 'activity')]],
  ])('no longer when many old %s wait', (_name, backlogs) => {
    expect(excessOf(backlogs, LIMIT)).toMatchObject({ tasks: 100 });
  });
});

/** A limit over readings that the test gives, and a clock of the test's own. */
function limitOver(read: () => Promise<readonly Backlog[]>, settings: typeof LIMIT | null = LIMIT) {
  const clock = { ms: 0, reads: 0 };
  const limit = new StartLimit(
    settings,
    () => {
      clock.reads += 1;
      return read();
    },
    () => clock.ms,
  );
  return { limit, clock };
}

describe('a start', () => {
  const refusal = async (limit: StartLimit) =>
    limit.check().then(
      () => null,
      (error: unknown) => (error as Refusal).wrong,
    );

  it('is refused with 429 and a time to come back, between 5 and 60 s by the age of the backlog', async () => {
    const over = async (ageMs: number) => refusal(limitOver(async () => [backlog(400, ageMs)], { ageMs: 1, tasks: 1 }).limit);
    expect(await over(40_000)).toMatchObject({ code: 'RATE_LIMITED', reason: 'workers_behind', retryAfterMs: 20_000 });
    expect(await over(2000)).toMatchObject({ retryAfterMs: 5000 });
    expect(await over(3_600_000)).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('asks Temporal once for all starts of two seconds', async () => {
    const { limit, clock } = limitOver(async () => IDLE);
    await Promise.all(Array.from({ length: 50 }, () => limit.check()));
    clock.ms = 2000;
    await limit.check();
    expect(clock.reads).toBe(1);
    clock.ms = 2001;
    await limit.check();
    expect(clock.reads).toBe(2);
  });

  it('goes on if Temporal cannot say, fails or does not answer', async () => {
    const failing = limitOver(() => Promise.reject(new Error('UNAVAILABLE')));
    expect(await refusal(failing.limit)).toBeNull();
    const silent = limitOver(() => new Promise(() => undefined));
    expect(await refusal(silent.limit)).toBeNull();
    expect(await silent.limit.backlogs()).toBeNull();
  });

  it('asks nobody where the limit is off', async () => {
    const { limit, clock } = limitOver(async () => BEHIND, null);
    expect(await refusal(limit)).toBeNull();
    expect(clock.reads).toBe(0);
  });

  it('that was let in before goes on under its key; a refused one leaves its key free', async () => {
    const store = await FileStore.open(storeDir());
    let backlogs = BEHIND;
    const { limit, clock } = limitOver(async () => backlogs);
    const claim = (key: string) => claimOperation(store, { principal: 'acme/rita', key, request: { n: key } }, limit);
    await expect(claim('new')).rejects.toThrow('The workers cannot keep up: 400 tasks wait, the oldest for 40 s.');
    backlogs = IDLE;
    clock.ms = 10_000;
    expect((await claim('new')).operation).toMatchObject({ isRepetition: false });
    backlogs = BEHIND;
    clock.ms = 20_000;
    expect((await claim('new')).operation).toMatchObject({ isRepetition: true });
    await expect(claim('newer')).rejects.toThrow(Refusal);
    expect(limit.refusals).toBe(2);
  });
});

describe('over HTTP, while the workers cannot keep up,', () => {
  const [rita, ana, boss] = [person('acme/rita', 'starter'), person('acme/ana', 'approver'), person('boss', 'admin')];
  const temporalDown = () => Promise.reject(new Error('This test has no Temporal.'));
  const client = { backlogs: async () => BEHIND, find: temporalDown, sessions: temporalDown, describe: temporalDown };
  let app: ReturnType<typeof gatewayApp>;
  beforeAll(async () => {
    const store = await FileStore.open(storeDir());
    app = gatewayApp(gatewayParts({ people: [rita, ana, boss], store, client: async () => client as never }));
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    removeStoreDirs();
  });
  const post = (url: string, who: typeof rita, payload: object, headers = {}) =>
    app.inject({ method: 'POST', url, headers: { ...who.headers, ...headers }, payload });

  const turn = { agent: 'tester', message: 'Pay it.' };
  it.each<[string, typeof rita, object]>([
    ['/v1/turns', rita, turn],
    ['/v1/sessions', rita, { agent: 'tester' }],
    ['/v1/sessions/s-1/messages', rita, { message: 'Pay it.' }],
    ['/v1/forks', rita, { from: 'a'.repeat(64) }],
    ['/tools/pay', rita, { input: {} }],
    ['/tools/pay/sse', rita, { input: {} }],
    ['/v1/schedules/nightly/trigger', boss, {}],
  ])('new work at %s is refused, with and without a key', async (url, who, body) => {
    for (const headers of [{}, { 'idempotency-key': `key of ${url}`.replaceAll(' ', '-') }]) {
      const response = await post(url, who, body, headers);
      expect(response.json()).toMatchObject({
        error: { code: 'RATE_LIMITED', reason: 'workers_behind', retry_after_ms: 20_000 },
      });
      expect([response.statusCode, response.headers['retry-after']]).toEqual([429, '20']);
    }
  });

  it.each<[string, typeof rita, object]>([
    ['/v1/turns/t-1/decisions', ana, { decision: 'approve', call: 'a'.repeat(64) }],
    ['/v1/turns/t-1/decisions', ana, { decision: 'deny', call: 'a'.repeat(64) }],
    ['/v1/turns/t-1/decisions', ana, { decision: 'settle', call: 'a'.repeat(64), outcome: 'applied' }],
    ['/v1/turns/t-1/answers', rita, { call: 'a'.repeat(64), value: 'yes' }],
    ['/v1/turns/t-1/cancel', rita, {}],
    ['/v1/turns/t-1/steer', rita, { text: 'Stop.' }],
    ['/v1/sessions/s-1/interrupt', rita, {}],
    ['/v1/sessions/s-1/close', rita, {}],
    ['/v1/schedules/nightly/pause', boss, {}],
    ['/v1/freezes', boss, { scope: 'all', reason: 'a test' }],
  ])('%s is taken', async (url, who, body) => {
    for (const headers of [{}, { 'idempotency-key': `key-${JSON.stringify(body).length}` }])
      expect((await post(url, who, body, headers)).statusCode).not.toBe(429);
  });

  it('and the metrics say how much waits, and how many were refused', async () => {
    const { body } = await app.inject({ url: '/metrics', headers: boss.headers });
    expect(body).toContain('holdfast_task_queue_backlog{type="activity"} 400');
    expect(body).toContain('holdfast_task_queue_backlog_age_seconds{type="activity"} 40');
    expect(body).toMatch(/^holdfast_starts_refused_total [1-9]\d*$/m);
  });
});
