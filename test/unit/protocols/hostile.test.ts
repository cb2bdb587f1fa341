/** What no client of the protocols sends: each request is answered in a protocol's own form, and never by a fault of ours. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asyncProperty, assert, constantFrom, jsonValue, oneof, record, string } from 'fast-check';
import { SessionNotFound, TurnNotFound } from '../../../src/client/errors';
import { gatewayApp } from '../../../src/gateway/app';
import { FileStore } from '../../../src/store/files/file-store';
import type { Store } from '../../../src/store/store';
import { gatewayParts, person } from '../../support/gateway';

const olga = person('olga', 'admin', 'approver');
const missing = () => {
  throw new TurnNotFound('x');
};
/** A Temporal without any turn. */
const client = async () =>
  ({
    turn: missing,
    look: missing,
    session: () => {
      throw new SessionNotFound('x');
    },
    page: async () => ({ turns: [], next: null }),
  }) as never;

describe('a hostile request', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-hostile-'));
  const faults: unknown[] = [];
  let store: Store;
  let app: ReturnType<typeof gatewayApp>;
  beforeAll(async () => {
    store = await FileStore.open(directory);
    const log = {
      debug: () => undefined,
      info: () => undefined,
      warn: () => undefined,
      error: (fault: object) => void faults.push(fault),
    };
    app = gatewayApp(gatewayParts({ people: [olga], client, store, log, requestsPerMinute: 1_000_000 }));
  });
  afterAll(async () => {
    await app.close();
    await store.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const post = async (url: string, body: unknown) => {
    const payload = JSON.stringify(body);
    const headers = { ...olga.headers, 'content-type': 'application/json' };
    return app.inject({ method: 'POST', url, headers, payload });
  };

  it('to AG-UI is refused, or ends with RUN_ERROR', async () => {
    const message = record({
      id: string(),
      role: constantFrom('user', 'assistant', 'tool', 'x'),
      content: oneof(string(), jsonValue()),
    });
    const run = record(
      {
        threadId: oneof(string(), constantFrom('..', '__proto__', 'a/b', 'x'.repeat(300))),
        runId: oneof(string({ minLength: 1 }), jsonValue()),
        messages: oneof(
          jsonValue(),
          constantFrom([]),
          message.map((one) => [one]),
        ),
        resume: oneof(jsonValue(), constantFrom([{ interruptId: '__proto__', status: 'resolved', payload: { approved: true } }])),
        state: jsonValue(),
      },
      { requiredKeys: ['threadId', 'runId', 'messages'] },
    );
    await assert(
      asyncProperty(oneof(run, jsonValue()), async (body) => {
        const { statusCode, payload } = await post('/v1/ag-ui/tester', body);
        if (statusCode === 200) expect(payload).toMatch(/"type":"RUN_ERROR".*\n\n$/);
        else expect([statusCode, JSON.parse(payload)]).toEqual([400, expect.objectContaining({ success: false })]);
      }),
      { numRuns: 200 },
    );
    expect(faults).toEqual([]);
  });

  it('to A2A is answered by an error of JSON-RPC', async () => {
    const methods = [
      'SendMessage',
      'SendStreamingMessage',
      'GetTask',
      'CancelTask',
      'SubscribeToTask',
      'CreateTaskPushNotificationConfig',
    ];
    const part = oneof(
      record({ text: oneof(string(), jsonValue()) }),
      record({ data: jsonValue() }),
      record({ raw: string() }),
      jsonValue(),
    );
    const message = record({
      messageId: oneof(string(), jsonValue()),
      role: constantFrom('ROLE_USER', 1, 'x'),
      taskId: string(),
      parts: part.map((one) => [one]),
    });
    const request = record({
      jsonrpc: constantFrom('2.0', '2.0', '2.0', '1.0'),
      id: oneof(constantFrom(1), jsonValue()),
      method: constantFrom(...methods, '__proto__', 'toString'),
      params: oneof(record({ message }), record({ id: oneof(string(), constantFrom('../x', 'call/x', '')) }), jsonValue()),
    });
    await assert(
      asyncProperty(oneof(request, jsonValue()), async (body) => {
        const { statusCode, payload } = await post('/a2a/tester', body);
        expect([200, 400]).toContain(statusCode);
        const { jsonrpc, error } = JSON.parse(payload) as { jsonrpc: string; error: { code: number; message: string } };
        expect([jsonrpc, typeof error.code, typeof error.message]).toEqual(['2.0', 'number', 'string']);
        expect(error.message).not.toMatch(/Cannot read|undefined is not|is not a function|node_modules/);
      }),
      { numRuns: 300 },
    );
    expect(faults).toEqual([]);
  });
});
