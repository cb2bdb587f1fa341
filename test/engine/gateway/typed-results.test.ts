/** The data of a turn wherever somebody reads how it ended: HTTP, the stream of events, callbacks, and the command line. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../src/config';
import { gatewayApp } from '../../../src/gateway/app';
import { callbackSender } from '../../../src/notify/webhook';
import { FileStore } from '../../../src/store/files/file-store';
import { environment, run } from '../../support/command-line';
import { gatewayParts, person } from '../../support/gateway';
import { ask } from '../../support/scripted-model';
import { eventually, testAddress, withEngine } from '../support/engine';

const home = mkdtempSync(join(tmpdir(), 'holdfast-typed-results-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const rita = person('rita', 'starter');
const result = z.object({ invoice: z.string(), note: z.string() });
const data = { invoice: 'INV-7', note: 'due' };
const long = { invoice: 'INV-8', note: 'x'.repeat(32_000) };

it('a turn, its last event, its callback and the command line have the data; a callback leaves large data out and says so', async () => {
  const told: any[] = [];
  const hook = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      told.push(JSON.parse(text));
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as AddressInfo;
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const { callbacks } = loadConfig({
    HOLDFAST_CALLBACK_HOSTS: `http://127.0.0.1:${port}+private`,
    HOLDFAST_CALLBACK_SECRET: secret,
  }).http;
  const script = [data, long, data].map((input) => ask(['give_result', input]));
  const store = await FileStore.open(join(home, 'store'));
  const setup = { store, script, agent: { result }, settings: { callbacks: callbackSender(callbacks!) } };
  try {
    await withEngine(setup, async ({ client, taskQueue }) => {
      const app = gatewayApp(gatewayParts({ people: [rita], store, callbacks: callbacks!, client: async () => client }));
      const get = (url: string) => app.inject({ url, headers: rita.headers });
      const begin = async () => {
        const payload = { agent: 'tester', message: 'Read it.', callback_url: `http://127.0.0.1:${port}/hook` };
        const started = await app.inject({ method: 'POST', url: '/v1/turns', headers: rita.headers, payload });
        const turn = client.turn(started.json().turn_id as string);
        await turn.result();
        return turn.id;
      };
      const id = await begin();
      expect((await get(`/v1/turns/${id}`)).json()).toMatchObject({ state: 'completed', result: data });
      const events = (await get(`/v1/turns/${id}/events`)).body.match(/^data: .*$/gm)!;
      expect(JSON.parse(events.at(-1)!.slice(6))).toMatchObject({ type: 'turn_completed', result: data });
      await eventually('the end is told of', async () => told.length === 1);
      expect(told[0]).toMatchObject({ type: 'turn.ended', turn: { turn_id: id, result: data } });

      const large = await begin();
      await eventually('the other end is told of', async () => told.length === 2);
      expect(told[1].turn).toMatchObject({ turn_id: large, result_left_out: true });
      expect(told[1].turn).not.toHaveProperty('result');
      expect((await get(`/v1/turns/${large}`)).json()).toMatchObject({ result: long });

      const env = environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress(), HOLDFAST_TASK_QUEUE: taskQueue });
      const shown = await run(['show', id, '--json'], env);
      expect({ code: shown.code, ...JSON.parse(shown.stdout) }).toMatchObject({ code: 0, result: data });
      const followed = await run(['run', '--agent', 'tester', '--follow', '--json', 'Read it.'], env);
      const lines = followed.stdout.trim().split('\n').map((line) => JSON.parse(line)); // oxfmt-ignore
      expect(lines.at(-1)).toMatchObject({ result: data });
      await app.close();
    });
  } finally {
    hook.close();
  }
});
