import OpenAI from 'openai';
import { createNotifier } from '../../../src/notify';
import { signature } from '../../../src/notify/webhook';
import { aQuestion, nothingDone, SECRET, WHERE } from '../../support/notify/questions';
import { receivers, type Received } from '../../support/notify/receiver';

const started = receivers();

async function tell(url: string, question = aQuestion(), card: string | null = '## Card', timeoutMs = 2000): Promise<void> {
  const notifier = createNotifier({ webhook: { url, secret: SECRET, timeoutMs }, mail: null, ...WHERE })!;
  await notifier.tell(question, card, nothingDone());
}

/** Another implementation of the specification. */
function verified({ text, headers }: Received, secret = SECRET): Promise<void> {
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  return new OpenAI({ apiKey: 'none' }).webhooks.verifySignature(text, given, secret);
}

it('a webhook has the card, the link to the workflow, and the commands that decide', async () => {
  const { url, received } = await started();
  await tell(url);
  expect(received).toHaveLength(1);
  expect(received[0]).toMatchObject({ method: 'POST', path: '/hooks/k3y', headers: { 'content-type': 'application/json' } });
  expect(received[0]!.body).toEqual({
    type: 'approval.requested',
    timestamp: '2026-01-01T00:00:00.000Z',
    turn_id: 'inv-7',
    workflow_id: 'turn/inv-7',
    agent: 'payables',
    requester: 'rita',
    call_id: '1.1',
    tool: 'pay',
    digest: 'd'.repeat(64),
    expires_at: '2026-01-02T00:00:00.000Z',
    card: '## Card',
    card_truncated: false,
    facts: null,
    link: null,
    ui_url: 'https://temporal.bank.example/namespaces/prod/workflows/turn%2Finv-7',
    commands: {
      approve: `holdfast approve inv-7 --call ${'d'.repeat(64)} --by NAME`,
      deny: `holdfast deny inv-7 --call ${'d'.repeat(64)} --by NAME --note WHY`,
    },
  });
});

it('the signature of a webhook is that of the Standard Webhooks specification', async () => {
  // The specification's own example of headers and secret, as its reference libraries test it.
  const known = ['msg_p5jXN8AQM9LWM0D4loKWxJek', '1614265330', '{"test": 2432232314}'] as const;
  expect(signature('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', ...known)).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');

  const { url, received } = await started();
  await tell(url);
  await expect(verified(received[0]!)).resolves.toBeUndefined();
  await expect(verified({ ...received[0]!, text: received[0]!.text.replace('rita', 'mary') })).rejects.toThrow();
  await expect(verified(received[0]!, `whsec_${Buffer.alloc(32, 1).toString('base64')}`)).rejects.toThrow();
});

it('a repetition has the same message id; another kind, digest, turn or reminder has another', async () => {
  const { url, received } = await started();
  const at = '2026-01-01T12:00:00.000Z';
  const later = '2026-01-01T18:00:00.000Z';
  await tell(url);
  await tell(url, aQuestion({ at }));
  await tell(url, aQuestion({ kind: 'reminder', at }));
  await tell(url, aQuestion({ kind: 'reminder', at }));
  await tell(url, aQuestion({ kind: 'reminder', at: later }));
  await tell(url, aQuestion({ kind: 'in_doubt' }));
  await tell(url, aQuestion({ digest: 'e'.repeat(64) }));
  await tell(url, aQuestion({ turn: { ...aQuestion().turn, first_execution_run_id: 'run-2' } }));
  const ids = received.map(({ headers }) => String(headers['webhook-id']));
  expect(ids.every((id) => /^msg_[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(ids[1]).toBe(ids[0]);
  expect(ids[3]).toBe(ids[2]);
  expect(new Set(ids).size).toBe(6);
});

it.each([301, 302, 307, 308])('a redirect (%i) is not followed: only the configured address gets it', async (status) => {
  const elsewhere = await started();
  const { url } = await started((_nth, response) => void response.writeHead(status, { location: elsewhere.url }).end());
  await expect(tell(url)).rejects.toThrow(`answered ${status}`);
  expect(elsewhere.received).toEqual([]);
});

it('an answer other than 2xx is an error that names the host, and neither the path nor the secret', async () => {
  const { url } = await started((_nth, response) => void response.writeHead(500).end('internal'));
  const error = await tell(url).catch((fault: Error) => fault);
  expect((error as Error).message).toMatch(
    /^Some notifications were not delivered\. webhook: 127\.0\.0\.1:\d+ answered 500; 2xx means that the message was taken$/,
  );
});

it('a receiver that is silent, or missing, is an error; an endless answer is not read', async () => {
  const silent = await started(() => undefined);
  await expect(tell(silent.url, aQuestion(), null, 200)).rejects.toThrow('did not answer: it took too long');
  await silent.close();
  await expect(tell(silent.url)).rejects.toThrow('did not answer: ECONNREFUSED');

  const pour = (response: any) => {
    if (!response.destroyed && response.write('x'.repeat(65_536))) setImmediate(pour, response);
    else if (!response.destroyed) response.once('drain', () => pour(response));
  };
  const endless = await started((_nth, response) => pour(response.writeHead(200)));
  await tell(endless.url);
});

it('a body is bounded: a long card is cut, and says so', async () => {
  const { url, received } = await started();
  await tell(url, aQuestion(), '“'.repeat(500_000));
  expect(received[0]!.body).toMatchObject({ card_truncated: true });
  expect(received[0]!.body.card).toHaveLength(16_000);
});

it('a tool’s name stays text, for any name', async () => {
  const { url, received } = await started();
  const tool = 'pay"},"type":"x\r\nwebhook-id: other';
  await tell(url, aQuestion({ tool }));
  expect(received[0]!.body).toMatchObject({ type: 'approval.requested', tool });
  expect(String(received[0]!.headers['webhook-id'])).toMatch(/^msg_/);
});
