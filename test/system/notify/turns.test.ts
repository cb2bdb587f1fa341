/** People are told by the turn itself: over a real worker, a real server, and real receivers. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { startMailCatcher } from '../../../src/devserver/mail-catcher';
import { createNotifier, type NotifySettings } from '../../../src/notify';
import { eventually, withEngine } from '../../engine/support/engine';
import { TestTime } from '../../engine/support/time-server';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { SECRET } from '../../support/notify/questions';
import { receivers, type Receiver } from '../../support/notify/receiver';

const invoice = { invoice: 'INV-7', cents: 700 };
const script = () => [ask(['pay', invoice]), say('done')];
const UI = 'http://ui.bank.example:8233';
const PAGE = 'https://desk.bank.example/hf';

function settings(url: string, mail: NotifySettings['mail'] = null) {
  const notifier = createNotifier({ webhook: { url, secret: SECRET }, mail, uiUrl: UI, pageUrl: PAGE, namespace: 'default' })!;
  return { settings: { notifier } };
}

const started = receivers();

const arrived = (hook: Receiver, count: number) =>
  eventually(`${count} webhooks`, async () => hook.received.length >= count && hook.received);

it('a question reaches the webhook, with its card and the link to the workflow; once', async () => {
  const hook = await started();
  await withEngine({ tools: [pays('pay', [])], script: script(), ...settings(hook.url) }, async ({ start }) => {
    const turn = await start('Pay.', { requester: 'rita' });
    const [call] = await turn.waitForPending();
    const [{ body }] = (await arrived(hook, 1)) as [any];
    expect(body).toMatchObject({
      type: 'approval.requested',
      turn_id: turn.id,
      requester: 'rita',
      call_id: '1.1',
      tool: 'pay',
      digest: call.digest,
      expires_at: call.approval.expires_at,
      facts: {
        kind: 'approval',
        digest: call.digest,
        input: invoice,
        requester: 'rita',
        words: [{ from: 'requester', by: 'rita', text: 'Pay.', cut: false }],
        untrusted: false,
        reason: 'class destructive always asks',
        policy: { quorum: 1, channel: 'any' },
      },
      link: `${PAGE}/#/turns/${turn.id}/calls/${call.digest}`,
      ui_url: `${UI}/namespaces/default/workflows/turn%2F${turn.id}/${(await turn.status()).run_id}/user-metadata`,
    });
    expect(body.card).toContain('## Waiting for approval: `pay`');
    expect(body.card).toContain('INV-7');
    await turn.approve(call.digest, { by: 'ana' });
    await turn.result();
    expect(hook.received).toHaveLength(1);
  });
});

it('a webhook that fails twice is sent again under one id, and a mail beside it goes out once', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-notify-'));
  const catcher = await startMailCatcher({ dir });
  const hook = await started((nth, response) => void response.writeHead(nth <= 2 ? 500 : 200).end());
  const mail = { host: '127.0.0.1', port: catcher.port, secure: false, from: 'a@bank.example', to: ['b@bank.example'] };
  try {
    await withEngine({ tools: [pays('pay', [])], script: script(), ...settings(hook.url, mail) }, async ({ start }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      const received = await arrived(hook, 3);
      expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
      expect(new Set(received.map(({ text }) => text)).size).toBe(1);
      await turn.deny(call.digest, { by: 'ana' });
      await turn.result();
      expect(hook.received).toHaveLength(3);
      expect(await readdir(dir)).toHaveLength(1);
    });
  } finally {
    await catcher.close();
    await rm(dir, { recursive: true, force: true });
  }
});

it('a webhook that is down holds no turn', async () => {
  const hook = await started((_nth, response) => void response.writeHead(503).end());
  const effects: unknown[] = [];
  await withEngine({ tools: [pays('pay', effects)], script: script(), ...settings(hook.url) }, async ({ start }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    await arrived(hook, 1);
    await turn.approve(call.digest, { by: 'ana' });
    expect(await turn.result()).toMatchObject({ state: 'completed', text: 'done' });
    expect(effects).toEqual([invoice]);
  });
});

it('people who must decide are reminded before the expiry, each reminder a message of its own', async () => {
  const hook = await started();
  const time = new TestTime();
  const approvalExpiryMs = time.either('3 days', 9000);
  const agent = { approvalExpiryMs, approvals: { remindMs: [time.either('2 hours', 2000), time.either('1 day', 4000)] } };
  await withEngine({ time, tools: [pays('pay', [])], agent, script: script(), ...settings(hook.url) }, async ({ start }) => {
    const turn = await start();
    await turn.waitForPending();
    await time.skip(approvalExpiryMs);
    const view = await turn.result();
    expect(view.calls[0]).toMatchObject({ state: 'expired', effect: 'refused' });
    const told = hook.received.map(({ body }) => body);
    expect(told.map(({ type }) => type)).toEqual(['approval.requested', 'approval.reminder', 'approval.reminder']);
    expect(new Set(told.map(({ digest }) => digest)).size).toBe(1);
    expect(new Set(hook.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
    expect(told[2].card).toContain('## Waiting for approval: `pay`');
  });
});

it('people are told of a call in doubt, with its card and the commands that settle it', async () => {
  const hook = await started();
  const breaks = pays('pay', [], {
    run: () => {
      throw new Error('the line went dead');
    },
  });
  await withEngine({ tools: [breaks], script: script(), ...settings(hook.url) }, async ({ start }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    await turn.approve(call.digest, { by: 'ana' });
    const body = (await arrived(hook, 2))[1]!.body;
    expect(body).toMatchObject({ type: 'effect.in_doubt', digest: call.digest, expires_at: null });
    expect(body.card).toContain('## In doubt: `pay`');
    expect(body.card).toContain('the line went dead');
    expect(body.facts).toMatchObject({
      kind: 'in_doubt',
      input: invoice,
      untrusted: false,
      words: [{ text: expect.any(String) }],
    });
    expect(body.commands.applied).toBe(`holdfast settle ${turn.id} applied --call ${call.digest} --by NAME`);
    await turn.settle(call.digest, 'not_applied', { by: 'ana' });
    await turn.result();
  });
});

it('a question that goes on in another run is announced once, and keeps the decisions on it', async () => {
  const hook = await started();
  const { path } = await findTemporalCli();
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': 60 };
  const server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
  const effects: unknown[] = [];
  const agent = { approvals: { quorum: 2 } };
  const { address } = server;
  try {
    await withEngine(
      { address, agent, tools: [pays('pay', effects)], script: script(), ...settings(hook.url) },
      async ({ start, client, store }) => {
        const turn = await start();
        const [call] = await turn.waitForPending();
        const { run_id: first } = await turn.status();
        await turn.approve(call.digest, { by: 'ana' });
        const handle = client.temporal.workflow.getHandle(turn.workflowId);
        for (let n = 0; n < 100; n++) await handle.signal('approve', { call: 'f'.repeat(64), by: `x${n}` });
        await eventually('another run', async () => {
          const view = await turn.status();
          return view.run_id !== first && view.pending.length === 1;
        });
        await turn.approve(call.digest, { by: 'bob' });
        await turn.result();
        expect(effects).toEqual([invoice]);
        expect(hook.received).toHaveLength(1);
        const { entries } = await store.trail.query({ turn: turn.id, state: 'approved' });
        expect(entries.map(({ by, verified }) => [by, verified])).toEqual([
          ['ana', true],
          ['bob', true],
        ]);
      },
    );
  } finally {
    await server.stop();
  }
});
