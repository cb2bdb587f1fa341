/**
 * Encryption as an operator wants to see it: nothing of what turns are about is in the files of Temporal's database, in the store or
 * in a log; and Temporal's Web UI shows it, through the codec server, to those who may see it.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { gatewayApp } from '../../../src/gateway/app';
import { Tokens } from '../../../src/gateway/auth/principals';
import { FileStore } from '../../../src/store/files/file-store';
import { ToolError } from '../../../src/tools/define/errors';
import { withEngine, type Engine, type Setup } from '../../engine/support/engine';
import { talk } from '../../engine/support/sessions';
import { capturedLog } from '../../support/captured-log';
import { ringOf, ringService } from '../../support/encryption/ring';
import { freePort } from '../../support/free-port';
import { gatewayParts, ownKey, person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { LIMITS } from '../../support/sign-in';
import { filesIn } from '../../support/store/store-dir';
import { pays, reads } from '../../support/tools';
import { describeInBrowser } from '../support/browser';
import { TurnPage } from '../support/web-ui';

const CANARY = 'canary4711';
const rita = person('rita', 'starter');
const ana = person('ana', 'approver');

const folders: string[] = [];
const folder = () => {
  folders.push(mkdtempSync(join(tmpdir(), 'holdfast-encryption-')));
  return folders.at(-1)!;
};
afterAll(() => folders.forEach((path) => rmSync(path, { recursive: true, force: true })));

interface Scene extends Engine {
  url: string;
  server: DevServer;
  post(path: string, body: object): Promise<any>;
}

/** An engine with keys, its gateway, and a Temporal server of its own whose database is in files. */
async function scene(
  setup: Setup & { log: NonNullable<Setup['log']> },
  db: string,
  onLog: (line: string) => void,
  body: (scene: Scene) => Promise<void>,
) {
  const { keys } = await ringService(ringOf('one'));
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const cli = (await findTemporalCli()).path;
  const server = await startDevServer({ cli, port: 0, uiPort: 0, dbFilename: db, codecEndpoint: `${url}/codec`, onLog });
  try {
    const store = setup.store ?? (await FileStore.open(folder(), keys));
    await withEngine({ ...setup, store, codecKeys: keys, address: server.address }, async (engine) => {
      const people = [rita, ana];
      const signIn = { tokens: new Tokens(people.map(({ entry }) => entry)), ...LIMITS };
      const codec = { codecKeys: keys, namespace: 'default', uiUrl: () => server.uiUrl };
      const more = { store, log: setup.log, client: async () => engine.client, signIn, publicUrl: url, codec };
      const gateway = gatewayApp(gatewayParts({ people, ...more }));
      await gateway.listen({ host: '127.0.0.1', port });
      const post = async (path: string, sent: object) => {
        const headers = { ...rita.headers, 'content-type': 'application/json', 'idempotency-key': ownKey('canary') };
        return (await fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(sent) })).json();
      };
      try {
        await body({ ...engine, url, server, post });
      } finally {
        await engine.client.inbox.close();
        await gateway.close();
      }
    });
  } finally {
    await server.stop();
  }
}

it('a canary in every prompt, input, note, card and result is in no file of the database or the store, and in no log', async () => {
  const [database, dir] = [folder(), folder()];
  const { keys } = await ringService(ringOf('one'));
  const log = capturedLog();
  const printed: string[] = [];
  const effects: unknown[] = [];
  const look = reads('look', ({ key }: any) => {
    if (key === 'broken') throw new ToolError('RESOURCE_NOT_FOUND', 'no_such', `There is no ${CANARY}`);
    return { found: CANARY };
  });
  const pay = pays('pay', effects, { preview: () => `Pay ${CANARY}` });
  const script = [
    ask(['look', { key: 'broken' }], ['look', { key: CANARY }], ['pay', { invoice: CANARY, cents: 7 }]),
    say(`Paid ${CANARY}.`),
    say(`Answered ${CANARY}.`),
  ];
  const store = await FileStore.open(dir, keys);
  const setup = { tools: [look, pay], script, store, log: log.log, agent: { prompt: `Think of ${CANARY}.` } };
  await scene(
    { ...setup, madeUp: false },
    join(database, 'temporal.db'),
    (line) => printed.push(line),
    async ({ client, call, post }) => {
      const { turn_id } = await post('/v1/turns', { agent: 'tester', message: `Pay ${CANARY}.` });
      const turn = client.turn(turn_id);
      const [waiting] = await turn.waitForPending();
      await turn.approve(waiting!.digest, { by: 'ana', note: `Fine: ${CANARY}` });
      expect(await turn.result()).toMatchObject({ state: 'completed', text: `Paid ${CANARY}.` });
      const session = await client.openSession({ agent: 'tester', title: CANARY });
      expect(await talk(session, `And ${CANARY}?`)).toMatchObject({ text: `Answered ${CANARY}.` });
      expect(JSON.stringify(await (await call('look', { key: CANARY })).result())).toContain(CANARY);
      await store.putBytes(Buffer.from(CANARY));
    },
  );
  const files = [database, dir].flatMap((root) => filesIn(root).map((name) => join(root, name)));
  const texts = [
    ...files.map((path) => [path, readFileSync(path, 'latin1')]),
    ['log', log.text()],
    ['server', printed.join('\n')],
  ];
  const has = (needles: string[]) =>
    texts.filter(([, text]) => needles.some((needle) => text!.includes(needle))).map(([path]) => path);
  expect(
    has([
      CANARY,
      ...[0, 1, 2].map((offset) =>
        Buffer.from(`${'x'.repeat(offset)}${CANARY}`)
          .toString('base64')
          .slice(4, -4),
      ),
    ]),
  ).toEqual([]);
  expect(has(['awaiting_approval']).length).toBeGreaterThan(0); // what is plain is found so
});

describeInBrowser('Temporal’s Web UI with the codec server', (browser) => {
  it('shows the card of a waiting call to an approver, and ciphertext to a starter', async () => {
    const effects: unknown[] = [];
    const pay = pays('pay', effects, { preview: () => `Pay ${CANARY} now` });
    const script = [ask(['pay', { invoice: CANARY, cents: 7 }]), say('Paid.')];
    const setup = { tools: [pay], script, log: capturedLog().log };
    await scene(
      setup,
      join(folder(), 'temporal.db'),
      () => undefined,
      async ({ start, client, url, server }) => {
        const turn = await start('Pay.');
        const [call] = await turn.waitForPending();
        const ui = server.uiUrl!.replace('127.0.0.1', 'localhost');
        const opened = async (who: typeof ana) => {
          const context = await browser().newContext({ viewport: { width: 1280, height: 900 } });
          // As a person sets it in the Web UI once, in place of the server's setting: "Include cross-origin credentials".
          const choices = { endpoint: `${url}/codec`, includeCredentials: true, overrideRemoteCodecConfiguration: true };
          for (const [name, value] of Object.entries(choices))
            await context.addInitScript(
              `localStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(JSON.stringify(value))})`,
            );
          await signIn(context, url, who.token);
          const decoded: string[] = [];
          context.on('response', async (response) => {
            if (response.url() === `${url}/codec/decode` && response.request().method() === 'POST')
              decoded.push(`${response.status()} ${await response.text().catch(() => '')}`);
          });
          const address = `${ui}/namespaces/default/workflows/${encodeURIComponent(turn.workflowId)}/${(await turn.status()).run_id}`;
          return {
            context,
            decoded,
            page: await TurnPage.open(context, `${address}/user-metadata`, `encrypted-${who.entry.principal}`),
            address,
          };
        };

        const approver = await opened(ana);
        const card = await approver.page.card();
        expect(await card.preview()).toContain(`Pay ${CANARY} now`);
        await approver.page.screenshot('card');
        await approver.page.sendSignal('approve', await card.paste('approve'));
        expect(await turn.result()).toMatchObject({ state: 'completed' });
        expect(effects).toHaveLength(1);
        expect(call!.digest).toHaveLength(64);
        await approver.context.close();

        const starter = await opened(rita);
        await starter.page.page.goto(`${starter.address}/history`);
        await starter.page.page.getByText(Buffer.from('binary/encrypted').toString('base64')).first().waitFor();
        await starter.page.screenshot('ciphertext');
        expect(await starter.page.page.locator('body').innerText()).not.toContain(CANARY);
        expect(starter.decoded.length).toBeGreaterThan(0);
        expect(
          starter.decoded.filter(
            (answer) => !answer.startsWith('200 ') || answer.includes(Buffer.from(CANARY).toString('base64')),
          ),
        ).toEqual([]);
        await starter.context.close();
        await client.inbox.close();
      },
    );
  });
});

async function signIn(context: BrowserContext, url: string, token: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/`);
  await page.getByLabel('Token').fill(token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#navigation').waitFor({ state: 'attached' });
  await page.close();
}
