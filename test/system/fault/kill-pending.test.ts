/**
 * `kill -9` of the worker and of the Temporal server while calls are pending, one for each way in which such a call ends, and one whose
 * worker dies before its tool has returned: each order reaches the bank once, and its call ends in the right state.
 */
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { JsonObject } from '../../../src/shared/json/json';
import { eventually } from '../../engine/support/engine';
import { KillableServer } from '../support/fault-server';
import { onceAnswered, openStage, type Stage } from '../support/fault-stage';

const APP = join(__dirname, 'fixtures/later.app.ts');
const CLI = join(__dirname, '../../../dist/cli/main.js');
const DAY = 86_400_000;
const settledOn = '{"settled_on":"Thursday"}';

/** By order: how its call ends, and what becomes of it. */
const applied = { state: 'succeeded', effect: 'applied' };
const notApplied = { state: 'failed', effect: 'not_applied' };
const ORDERS: Record<string, { expiresMs: number; call: object; turn: string }> = {
  completed: { expiresMs: DAY, call: applied, turn: 'completed' },
  refused: { expiresMs: DAY, call: notApplied, turn: 'completed' },
  polled: { expiresMs: DAY, call: applied, turn: 'completed' },
  expired: { expiresMs: 20_000, call: applied, turn: 'completed' },
  cancelled: { expiresMs: DAY, call: notApplied, turn: 'cancelled' },
  hangs: { expiresMs: DAY, call: applied, turn: 'completed' },
};

/** The model orders what the message names, and is done when it has the result. */
function answer(body: JsonObject) {
  const messages = body.messages as { content: { type: string; text?: string }[] }[];
  const content = messages.flatMap((message) => message.content);
  if (content.some(({ type }) => type === 'tool_result')) return { content: [{ type: 'text' as const, text: 'done' }] };
  const order = content.find(({ text }) => text !== undefined && text in ORDERS)!.text!;
  const input = { order, expires_ms: ORDERS[order]!.expiresMs };
  return { content: [{ type: 'tool_use' as const, name: 'transfer', input }] };
}

it('pending calls end once, in the right state, although worker and server are killed meanwhile', async () => {
  const server = await KillableServer.start();
  const stage = await openStage(server.address, { app: APP, answer });
  writeFileSync(join(stage.home, 'orders'), '');
  const work = () => stage.startWorker(undefined, { HOLDFAST_TEST_BANK: stage.home });
  const orders = () =>
    readFileSync(join(stage.home, 'orders'), 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line) as Order); // oxfmt-ignore
  const tokenOf = (order: string) => orders().find((one) => one.order === order)!.token;
  try {
    const first = await work();
    const ids: Record<string, string> = {};
    for (const order of Object.keys(ORDERS)) ids[order] = (await stage.client.start({ agent: 'payer', message: order })).id;
    const turn = (order: string): TurnHandle => stage.client.turn(ids[order]!);
    await eventually('all are ordered', async () => orders().length === Object.keys(ORDERS).length, 60_000);
    for (const order of Object.keys(ORDERS)) if (order !== 'hangs') await isPending(turn(order));
    expect(await first.kill()).toBe('SIGKILL');
    await server.kill();
    await server.up();
    await stage.reconnect();
    await work();
    await isPending(turn('hangs')); // its tool had asked to end later: it is not run again, and not in doubt

    const forged = await complete(stage, server, tokenOf('completed').replace(/./g, 'A'), ['--result', settledOn]);
    expect(forged).toMatchObject({ code: 1, said: expect.stringContaining('No call is completed with this token.') });
    const twice = await Promise.all([1, 2].map(() => complete(stage, server, tokenOf('completed'), ['--result', settledOn])));
    expect(twice.map(({ code }) => code === 0).sort()).toEqual([false, true]);
    expect(await complete(stage, server, tokenOf('refused'), ['--error', 'The account is closed.'])).toMatchObject({ code: 0 });
    expect(await complete(stage, server, tokenOf('hangs'), ['--result', settledOn])).toMatchObject({ code: 0 });
    writeFileSync(join(stage.home, 'settled-polled'), '');
    await turn('cancelled').cancel();
    for (const [order, outcome] of [
      ['expired', 'applied'],
      ['cancelled', 'not_applied'],
    ] as const) {
      // oxfmt-ignore
      const [call] = await turn(order).waitForPending();
      await turn(order).settle(call.digest, outcome, { by: 'ana' });
    }

    for (const [order, { call, turn: state }] of Object.entries(ORDERS))
      expect(await turn(order).result()).toMatchObject({ state, calls: [call] });
    expect(orders().map(({ order }) => order).sort()).toEqual(Object.keys(ORDERS).sort()); // oxfmt-ignore
    const late = await complete(stage, server, tokenOf('completed'), ['--result', settledOn]);
    expect(late).toMatchObject({ said: expect.stringContaining('Not accepted') });
    expect(late.code).not.toBe(0);
  } finally {
    await stage.close();
    await server.close();
  }
}, 400_000);

interface Order {
  order: string;
  token: string;
}

function isPending(turn: TurnHandle): Promise<boolean> {
  const state = async () => (await onceAnswered(() => turn.status())).state;
  return eventually('the call is pending', async () => (await state()) === 'awaiting_completion', 120_000);
}

/** `holdfast complete -`, with the token on its standard input. */
function complete(
  stage: Stage,
  server: KillableServer,
  token: string,
  how: string[],
): Promise<{ code: number | null; said: string }> {
  const { PATH } = process.env;
  const env = { PATH, HOLDFAST_HOME: stage.home, HOLDFAST_TASK_QUEUE: stage.taskQueue, TEMPORAL_ADDRESS: server.address };
  const child = spawn(process.execPath, [CLI, 'complete', '-', ...how], { env, cwd: stage.home });
  let said = '';
  child.stdout.on('data', (text: Buffer) => (said += text.toString()));
  child.stderr.on('data', (text: Buffer) => (said += text.toString()));
  child.stdin.end(`${token}\n`);
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, said })));
}
