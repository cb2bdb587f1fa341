import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { healthApp, serveHealth } from '../../../src/telemetry/health';
import { readiness, type Check, type Finding, type WorkerState } from '../../../src/telemetry/readiness';

const fine: Check = { name: 'store', look: async () => undefined, todo: 'Mend it.' };
const broken = (why: string): Check => ({ ...fine, look: () => Promise.reject(new Error(why)) });

/** Answers of a real server: Jest cannot load what Fastify's `inject` needs. */
async function asking<R>(
  look: () => Promise<Finding[]>,
  body: (get: (path: string, init?: RequestInit) => Promise<Response>) => Promise<R>,
) {
  const app = healthApp(look);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  try {
    return await body((path, init) => fetch(`${url}${path}`, init));
  } finally {
    await app.close();
  }
}

function readyz(state: WorkerState, ...checks: Check[]): Promise<{ code: number; ready: boolean; checks: object[] }> {
  return asking(
    readiness(() => state, checks),
    async (get) => {
      expect((await get('/healthz')).status).toBe(200);
      const answer = await get('/readyz');
      return { code: answer.status, ...((await answer.json()) as { ready: boolean; checks: object[] }) };
    },
  );
}

describe('/readyz', () => {
  it('is 200 while the worker runs and all its dependencies answer', async () => {
    const checks = [
      { check: 'worker', ok: true },
      { check: 'store', ok: true },
    ];
    expect(await readyz('RUNNING', fine)).toEqual({ code: 200, ready: true, checks });
  });

  it.each([
    ['STARTING', /starting/],
    ['INITIALIZED', /starting/],
    ['STOPPING', /draining/],
    ['DRAINED', /draining/],
    ['FAILED', /failed/],
  ] as const)('is 503 while the worker is %s, and checks nothing else', async (state, detail) => {
    const never: Check = { ...fine, look: () => Promise.reject(new Error('asked')) };
    const answer = await readyz(state, never);
    expect(answer).toMatchObject({ code: 503, ready: false });
    expect(answer.checks).toEqual([
      { check: 'worker', ok: false, detail: expect.stringMatching(detail), todo: expect.any(String) },
    ]);
  });

  it('is 503 with the check that failed, why, and what to do, without secrets', async () => {
    const answer = await readyz('RUNNING', fine, broken('postgres://ana:hunter2@db refused'));
    expect(answer).toMatchObject({ code: 503, checks: [{ ok: true }, { ok: true }, { ok: false, todo: 'Mend it.' }] });
    expect(JSON.stringify(answer)).toContain('refused');
    expect(JSON.stringify(answer)).not.toContain('hunter2');
  });

  it('is 503 when a check does not answer', async () => {
    const answer = await readyz('RUNNING', { ...fine, look: () => new Promise(() => undefined) });
    expect(answer).toMatchObject({ code: 503, checks: [{ ok: true }, { ok: false, detail: expect.stringMatching(/within/) }] });
  });

  it('checks the dependencies once for many requests, and the worker each time', async () => {
    let [asked, state] = [0, 'RUNNING' as WorkerState];
    const look = readiness(() => state, [{ ...fine, look: async () => void asked++ }]);
    await Promise.all(Array.from({ length: 50 }, look));
    expect(asked).toBe(1);
    state = 'DRAINING';
    expect(await look()).toMatchObject([{ check: 'worker', ok: false }]);
  });
});

describe('the health server', () => {
  it('says which address is taken, and which setting to change', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const { port } = taken.address() as AddressInfo;
    await expect(serveHealth({ host: '127.0.0.1', port }, async () => [])).rejects.toThrow(
      new RegExp(`cannot be served at 127.0.0.1:${port} .*EADDRINUSE.*HOLDFAST_HEALTH_PORT`),
    );
    await new Promise((resolve) => taken.close(resolve));
  });

  it('has no other address', () =>
    asking(
      async () => [],
      async (get) => {
        for (const path of ['/', '/metrics', '/readyz/x']) expect((await get(path)).status).toBe(404);
        expect((await get('/readyz', { method: 'POST', body: 'x'.repeat(5000) })).status).toBe(413);
      },
    ));
});
