/** Deliveries over HTTP: each starts one turn, and what is wrong is refused without an error of the gateway. */
import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { IdempotencyConflict } from '../../../src/client/errors';
import { gatewayApp } from '../../../src/gateway/app';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import { turnIdFromKey } from '../../../src/shared/ids';
import type { TriggerDefinition } from '../../../src/triggers/definition';
import { github, slack, stripe } from '../../../src/triggers/signatures';
import { gatewayParts } from '../../support/gateway';

const SECRET = 'the secret of the test';
const clerk = defineAgent({ name: 'clerk', prompt: 'Clerk.', tools: [] });
const issues: TriggerDefinition = {
  path: 'issues',
  verify: github({ secretEnv: 'TRIGGER_TEST_SECRET' }),
  agent: 'clerk',
  message: ({ body }) => (body.ignore === true ? null : `Issue: ${body.title.trim()}`),
};

interface Answered {
  status: number;
  body: any;
  retryAfter: string | undefined;
}
interface Scene {
  /** @param changes of the headers, after the signature */
  post(path: string, body: string | object, changes?: Record<string, string>): Promise<Answered>;
  /** The turns that the gateway asked Temporal for. */
  started: any[];
  logged: object[];
  /** The store forgets: as if it were the gateway's of another store. */
  forget(): void;
}

async function withTriggers(
  triggers: TriggerDefinition[],
  test: (scene: Scene) => Promise<void>,
  more: object = {},
): Promise<void> {
  const started: any[] = [];
  const logged: object[] = [];
  const values = new Map<string, unknown>();
  const registers = {
    read: async (name: string) => ({ value: values.get(name) ?? null, now: 1 }),
    update: async (name: string, change: (current: unknown, now: number) => { value?: unknown; answer: unknown }) => {
      const { value, answer } = change(values.get(name) ?? null, 1);
      if (value !== undefined) values.set(name, value);
      return answer;
    },
  };
  const start = async (turn: { id: string; requester: string; message: string }) => {
    const before = started.find(({ id, requester }) => id === turn.id && requester === turn.requester);
    if (before === undefined) started.push(turn);
    else if (before.message !== turn.message) throw new IdempotencyConflict('x');
  };
  const log = (level: string) => (fields: object, message: string) => void logged.push({ level, message, ...fields });
  const app = gatewayApp(
    gatewayParts({
      store: { derivedKey: () => Buffer.alloc(32), registers } as never,
      log: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } as never,
      client: async () => ({ start, backlogs: async () => [] }) as never,
      catalogue: async () => catalogueOf(defineApp({ agents: [clerk], triggers })),
      ...more,
    }),
  );
  let sent = 0;
  const post: Scene['post'] = async (path, body, changes = {}) => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'x-github-delivery': `delivery-${(sent += 1)}`,
      'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(payload).digest('hex')}`,
      ...changes,
    };
    const response = await app.inject({ method: 'POST', url: `/v1/triggers/${path}`, payload, headers });
    return {
      status: response.statusCode,
      body: response.json(),
      retryAfter: response.headers['retry-after'] as string | undefined,
    };
  };
  try {
    await test({ post, started, logged, forget: () => values.clear() });
  } finally {
    await app.close();
  }
}

describe('a delivery', () => {
  beforeEach(() => void (process.env.TRIGGER_TEST_SECRET = SECRET));
  afterEach(() => {
    delete process.env.TRIGGER_TEST_SECRET;
    delete process.env.TRIGGER_TEST_SECRET_FILE;
  });

  it('starts a turn of the agent as the trigger, and is answered with its id', () =>
    withTriggers([issues], async ({ post, started, logged }) => {
      const { status, body } = await post('issues', { title: ' Broken ' }, { 'x-github-delivery': 'd-1' });
      const requester = 'trigger/issues';
      expect({ status, body }).toEqual({ status: 202, body: { turn_id: turnIdFromKey(requester, 'd-1') } });
      expect(started).toEqual([{ agent: 'clerk', message: 'Issue: Broken', id: 'd-1', requester }]);
      expect(logged).toContainEqual(expect.objectContaining({ level: 'debug', status: 202, principal: requester }));
    }));

  it('that comes again starts nothing, also if its message is another one now, or the store has forgotten it', () =>
    withTriggers([issues], async ({ post, started, forget }) => {
      const id = { 'x-github-delivery': 'd-1' };
      const first = await post('issues', { title: 'One' }, id);
      expect(await post('issues', { title: 'One' }, id)).toEqual(first);
      expect(await post('issues', { title: 'Two' }, id)).toEqual(first);
      forget();
      expect(await post('issues', { title: 'Two' }, id)).toEqual(first);
      expect(started.length).toBe(1);
    }));

  it('of twenty at once, each with the same id, starts one turn', () =>
    withTriggers([issues], async ({ post, started }) => {
      const all = await Promise.all(
        Array.from({ length: 20 }, () => post('issues', { title: 'One' }, { 'x-github-delivery': 'd-1' })),
      );
      expect(new Set(all.map(({ status, body }) => `${status} ${body.turn_id}`)).size).toBe(1);
      expect(started.length).toBe(1);
    }));

  it('that the app ignores starts no turn, and counts for no limit', () =>
    withTriggers([{ ...issues, perMinute: 1 }], async ({ post, started }) => {
      for (let index = 0; index < 3; index++)
        expect(await post('issues', { ignore: true })).toMatchObject({ status: 202, body: { turn_id: null } });
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 202 });
      expect(started.length).toBe(1);
    }));

  it('with a wrong signature is refused with no word of what is wrong, and a body is not read before', () =>
    withTriggers([issues], async ({ post, started }) => {
      const wrong = { 'x-hub-signature-256': `sha256=${'0'.repeat(64)}` };
      const answers = [await post('issues', { title: 'x' }, wrong), await post('issues', 'no JSON', wrong)];
      answers.push(await post('issues', '', { 'x-hub-signature-256': '' }));
      answers.push(await post('issues', { title: 'x' }, { ...wrong, 'content-encoding': 'gzip' }));
      for (const { status, body } of answers) {
        expect({ status, error: body.error }).toMatchObject({ status: 401, error: { reason: 'wrong_signature' } });
        expect(body.error.message).toBe('The signature is missing, wrong or too old.');
      }
      expect(started).toEqual([]);
    }));

  it('with wrong signatures, too many of one address are not looked at, and right ones still are', () =>
    withTriggers([issues], async ({ post }) => {
      const wrong = { 'x-hub-signature-256': 'sha256=' };
      const statuses = new Set<number>();
      for (let index = 0; index < 70; index++) statuses.add((await post('issues', {}, wrong)).status);
      expect([...statuses]).toEqual([401, 429]);
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 202 });
    }));

  it.each<[string, string | object, Record<string, string>, number, string]>([
    ['that is not JSON', '{"title":', {}, 400, 'bad_body'],
    ['with one key twice', '{"title":"a","title":"b"}', {}, 400, 'bad_body'],
    ['of another encoding', { title: 'x' }, { 'content-type': 'application/json; charset=utf-16' }, 415, 'bad_encoding'],
    ['that is empty', '', {}, 400, 'bad_body'],
    ['without an id', { title: 'x' }, { 'x-github-delivery': '' }, 400, 'no_delivery_id'],
    ['with an id that is too long', { title: 'x' }, { 'x-github-delivery': 'x'.repeat(256) }, 400, 'no_delivery_id'],
    ['of which the app can make no message', { title: 7 }, {}, 422, 'no_message'],
    ['of which the app makes too long a message', { title: 'x'.repeat(100_001) }, {}, 413, 'message_too_long'],
    ['that is too large', { title: 'x'.repeat(1_000_001) }, {}, 413, 'bad_request'],
  ])('%s is refused', (_what, sent, changes, wanted, reason) =>
    withTriggers([issues], async ({ post, started }) => {
      const { status, body } = await post('issues', sent, changes);
      expect({ status, reason: body.error.reason }).toEqual({ status: wanted, reason });
      expect(started).toEqual([]);
    }),
  );

  it('is read as JSON whatever it says that it is', () =>
    withTriggers([issues], async ({ post, started }) => {
      for (const type of ['text/plain', 'application/vnd.sender+json', 'application/x-www-form-urlencoded'])
        await post('issues', { title: type }, { 'content-type': type });
      expect(started.length).toBe(3);
    }));

  it('to a path that is none is answered as any unknown one, also without an app', async () => {
    const unknown = { status: 404, body: { error: { reason: 'unknown_trigger' } } };
    await withTriggers([issues], async ({ post }) => {
      for (const path of ['nothing', 'Issues', '__proto__', 'x'.repeat(100)]) expect(await post(path, {})).toMatchObject(unknown);
    });
    await withTriggers([], async ({ post }) => expect(await post('issues', {})).toMatchObject(unknown), { catalogue: undefined });
  });

  it('beyond the limit of its trigger is refused for a time, and those of another trigger are not', () =>
    withTriggers(
      [
        { ...issues, perMinute: 2 },
        { ...issues, path: 'other' },
      ],
      async ({ post, started }) => {
        const known = { 'x-github-delivery': 'known' };
        const sent = [
          await post('issues', { title: 'x' }, known),
          await post('issues', { title: 'x' }),
          await post('issues', { title: 'x' }),
        ];
        expect(sent.map(({ status }) => status)).toEqual([202, 202, 429]);
        expect(Number(sent[2]!.retryAfter)).toBeGreaterThan(0);
        expect(await post('issues', { title: 'x' }, known)).toMatchObject({ status: 202 });
        expect(await post('other', { title: 'x' })).toMatchObject({ status: 202 });
        expect(started.length).toBe(3);
      },
    ));

  it('is refused while the workers cannot keep up, with a time to come back', () => {
    const backlogs = async () => [{ type: 'workflow', tasks: 1000, ageMs: 60_000 }];
    const started: unknown[] = [];
    const client = async () => ({ start: async (turn: unknown) => void started.push(turn), backlogs }) as never;
    return withTriggers(
      [issues],
      async ({ post }) => {
        const { status, body, retryAfter } = await post('issues', { title: 'x' });
        expect({ status, reason: body.error.reason }).toEqual({ status: 429, reason: 'workers_behind' });
        expect(Number(retryAfter)).toBeGreaterThan(0);
        expect(started).toEqual([]);
      },
      { client },
    );
  });

  it('may be signed with the new key or the old one, and keys are read from a file at each delivery', () => {
    const folder = mkdtempSync(join(tmpdir(), 'trigger-secret-'));
    const file = join(folder, 'secret');
    delete process.env.TRIGGER_TEST_SECRET;
    process.env.TRIGGER_TEST_SECRET_FILE = file;
    return withTriggers([issues], async ({ post, logged }) => {
      writeFileSync(file, 'new');
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 401 });
      writeFileSync(file, `new key\r\n${SECRET}\r\n`);
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 202 });
      rmSync(folder, { recursive: true });
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 401 });
      expect(logged).toContainEqual(
        expect.objectContaining({ level: 'error', error: expect.stringContaining('cannot be read') }),
      );
    });
  });

  it('is sent again later if the gateway has no secret, and the log says what to set', () => {
    delete process.env.TRIGGER_TEST_SECRET;
    return withTriggers([issues], async ({ post, logged }) => {
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 503, retryAfter: '60' });
      const todo = 'set TRIGGER_TEST_SECRET, or TRIGGER_TEST_SECRET_FILE';
      expect(logged).toContainEqual(expect.objectContaining({ level: 'error', trigger: 'issues', todo }));
    });
  });
});

describe('a scheme of the app’s own', () => {
  const own = (verify: TriggerDefinition['verify']): TriggerDefinition => ({ ...issues, verify });

  it('names the delivery, or refuses it', () =>
    withTriggers(
      [own(({ headers, body }) => (headers['x-own'] === String(body.length) ? headers['x-id']! : null))],
      async ({ post, started }) => {
        expect(await post('issues', '{"title":"x"}', { 'x-own': '13', 'x-id': 'o-1' })).toMatchObject({ status: 202 });
        expect(await post('issues', '{"title":"x"}', { 'x-own': '14', 'x-id': 'o-2' })).toMatchObject({ status: 401 });
        expect(started).toMatchObject([{ id: 'o-1' }]);
      },
    ));

  it('that fails, or returns anything but a text, refuses', async () => {
    const broken = () => {
      throw new Error('broken');
    };
    for (const verify of [broken, () => true, () => undefined, async () => Promise.reject(new Error('later'))])
      await withTriggers([own(verify as never)], async ({ post }) =>
        expect(await post('issues', { title: 'x' })).toMatchObject({ status: 401 }),
      );
    await withTriggers([own(() => '')], async ({ post }) =>
      expect(await post('issues', { title: 'x' })).toMatchObject({ status: 400 }),
    );
    await withTriggers([own(({ json }) => String(json()))], async ({ post }) =>
      expect(await post('issues', '{')).toMatchObject({ status: 400 }),
    );
  });
});

describe('Slack and Stripe', () => {
  const secretEnv = 'TRIGGER_TEST_SECRET';
  beforeAll(() => void (process.env[secretEnv] = 'key'));
  afterAll(() => void delete process.env[secretEnv]);
  const now = () => String(Math.floor(Date.now() / 1000));
  const hmac = (text: string) => createHmac('sha256', 'key').update(text).digest('hex');

  it('are taken by the id in their body; Slack’s question is answered, and starts nothing', () => {
    const slackHeaders = (body: string, time = now()) => ({
      'x-slack-request-timestamp': time,
      'x-slack-signature': `v0=${hmac(`v0:${time}:${body}`)}`,
    });
    const stripeHeaders = (body: string, time = now()) => ({ 'stripe-signature': `t=${time},v1=${hmac(`${time}.${body}`)}` });
    const triggers = [
      { ...issues, path: 'slack', verify: slack({ secretEnv }), message: 'Answer.' },
      { ...issues, path: 'stripe', verify: stripe({ secretEnv }), message: 'Look.' },
    ];
    return withTriggers(triggers, async ({ post, started }) => {
      const question = '{"type":"url_verification","challenge":"c-1"}';
      expect(await post('slack', question, slackHeaders(question))).toMatchObject({ status: 200, body: { challenge: 'c-1' } });
      expect(await post('slack', question)).toMatchObject({ status: 401 });
      const event = '{"type":"event_callback","event_id":"Ev1"}';
      for (let index = 0; index < 2; index++)
        expect(await post('slack', event, slackHeaders(event))).toMatchObject({ status: 202 });
      const paid = '{"id":"evt_1","type":"invoice.paid"}';
      expect(await post('stripe', paid, stripeHeaders(paid))).toMatchObject({ status: 202 });
      const late = String(Number(now()) - 301);
      expect(await post('stripe', paid, stripeHeaders(paid, late))).toMatchObject({ status: 401 });
      expect(await post('stripe', '[]', stripeHeaders('[]'))).toMatchObject({
        status: 400,
        body: { error: { reason: 'no_delivery_id' } },
      });
      expect(started.map(({ id, requester }) => `${requester} ${id}`)).toEqual(['trigger/slack Ev1', 'trigger/stripe evt_1']);
    });
  });
});
