/**
 * A transfer that settles later: five ways in which its call ends, and eight things that happen meanwhile. In each of the forty cells
 * there is one order at the bank, and the call ends in the state that its row says. A run takes some of the cells, another day others.
 */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { PollAnswer } from '../../../src/tools/define/tool';
import { everyNth } from '../../support/runs';
import { ask, say } from '../../support/scripted-model';
import { allowed, Bank, completed, isPending, settledOn, transfer } from '../support/bank';
import { eventually, withEngine, type Engine } from '../support/engine';
import { FILLED_MS, FILLS_A_SHORT_RUN, sendJunk, shortRunServer } from '../support/fill-run';
import { resetTurn } from '../support/reset';
import { children, withAgents } from '../support/sub-agents';

const short = shortRunServer();

/** A cell: the engine, the turn whose call is pending, and the turn or call that a user sees. */
interface Cell extends Engine {
  bank: Bank;
  turn: TurnHandle;
  above: TurnHandle;
  /** Its state after a cancel. Default: cancelled. */
  cancelled?: 'failed';
}

interface End {
  how: string;
  expiresMs?: number;
  /** Ends the call. */
  end(cell: Cell, poll: (answer: PollAnswer) => void): Promise<void>;
  call: { state: string; effect: string };
  isCancelled?: true;
}

const settle = async ({ turn }: Cell, outcome: 'applied' | 'not_applied') => {
  const [call] = await turn.waitForPending();
  await turn.settle(call.digest, outcome, { by: 'ana' });
};
const applied = { state: 'succeeded', effect: 'applied' };
const notApplied = { state: 'failed', effect: 'not_applied' };

const ENDS: End[] = [
  { how: 'a completion', end: (cell) => completed(cell, cell.bank.token, { result: settledOn }), call: applied },
  { how: 'a completion with an error', end: (cell) => completed(cell, cell.bank.token, { error: 'Closed.' }), call: notApplied },
  { how: 'its poll', end: async (_, poll) => poll({ result: settledOn }), call: applied },
  { how: 'its expiry', expiresMs: 15_000, end: (cell) => settle(cell, 'applied'), call: applied },
  {
    how: 'a cancel',
    end: async (cell) => {
      await cell.above.cancel();
      await settle(cell, 'not_applied');
    },
    call: notApplied,
    isCancelled: true,
  },
];

type Scene = (bank: Bank, body: (cell: Cell) => Promise<void>) => Promise<void>;

const script = () => [ask(['transfer', transfer]), say('done'), say('done')];

/** In a turn, of which something happens before its call ends. */
function inTurn(meanwhile: (cell: Cell) => Promise<void>, address?: () => string): Scene {
  return (bank, body) => {
    const setup = { tools: [bank.tool], script: script(), agent: allowed, ...(address ? { address: address() } : {}) };
    return withEngine(setup, async (engine) => {
      const turn = await engine.start('Transfer it.');
      await isPending(turn);
      const cell = { ...engine, bank, turn, above: turn };
      await meanwhile(cell);
      await body(cell);
    });
  };
}

const MEANWHILE: [what: string, scene: Scene][] = [
  ['nothing', inTurn(async () => undefined)],
  [
    'completions that are forged or do not fit',
    inTurn(async (cell) => {
      const { token } = cell.bank;
      const forged = completed(cell, token.replace(/./g, 'A'), { result: settledOn });
      await expect(forged).rejects.toThrow('No call is completed with this token.');
      const unfit = completed(cell, token, { result: { settled_on: 7 } });
      await expect(unfit).rejects.toThrow(/does not fit/);
      const workflow = cell.client.temporal.workflow.getHandle(cell.turn.workflowId);
      const args: [object] = [{ call: '1.1', completion_ref: 'a'.repeat(64) }];
      expect(await workflow.executeUpdate<unknown, [object]>('complete', { args })).toMatchObject({ accepted: false });
    }),
  ],
  ['a reset to a moment after the run', inTurn(async ({ client, turn }) => void (await resetTurn(client, turn)))],
  [
    'a reset to a moment before the run',
    inTurn(async ({ client, turn }) => void (await resetTurn(client, turn, { before: 'runCall' }))),
  ],
  [
    'so much that the turn goes on in another run',
    inTurn(
      async ({ client, turn }) => {
        const { run_id } = await turn.status();
        await sendJunk(client, turn, FILLS_A_SHORT_RUN);
        await eventually('another run goes on', async () => (await turn.status()).run_id !== run_id);
      },
      () => short.address,
    ),
  ],
  [
    'it is the call of a sub-agent',
    (bank, body) => {
      const payer = defineAgent({ name: 'payer', prompt: 'Pay.', tools: [bank.tool], ...allowed });
      const pay = agentTool(payer, { description: 'Pays.' });
      const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [pay] });
      const scripts = { 'Lead.': [ask([pay.name, { task: 'Pay.' }]), say('done')], 'Pay.': script() };
      return withAgents([lead, payer], scripts, async (engine) => {
        const above = await engine.start();
        await isPending(above);
        const [turn] = await children(engine.client, above);
        await body({ ...engine, bank, turn: turn!, above });
      });
    },
  ],
  [
    'it is a direct call',
    (bank, body) =>
      withEngine({ tools: [bank.tool], agent: allowed }, async (engine) => {
        const { turn } = await engine.call('transfer', transfer);
        await isPending(turn);
        // A direct call ends as its call did.
        await body({ ...engine, bank, turn, above: turn, cancelled: 'failed' });
      }),
  ],
  [
    'it is the call of a session',
    (bank, body) =>
      withEngine({ tools: [bank.tool], script: script(), agent: allowed }, async (engine) => {
        const session = await engine.client.openSession({ agent: 'tester' });
        const { turn } = await session.send('Transfer it.');
        await session.started(turn.id);
        await isPending(turn);
        await body({ ...engine, bank, turn, above: turn });
      }),
  ],
];

const CELLS = MEANWHILE.flatMap(([what, scene]) => ENDS.map((end) => [what, end.how, { scene, ...end }] as const));

describe('a call that ends later', () => {
  it.each(everyNth(CELLS, 6))('and meanwhile: %s; ends by %s', (_what, _how, cell) => {
    const { scene, end, expiresMs = 86_400_000, call, isCancelled } = cell;
    let answer: PollAnswer = 'pending';
    const bank = new Bank({ expiresMs, poll: { everyMs: 1000 } }, () => answer);
    return scene(bank, async (on) => {
      await end(on, (given) => (answer = given));
      const ended = await on.turn.result();
      expect(ended.calls).toMatchObject([call]);
      if (isCancelled) expect((await on.above.result()).state).toBe(on.cancelled ?? 'cancelled');
      expect(bank.orders).toHaveLength(1);
      await expect(completed(on, bank.token, { result: settledOn })).rejects.toThrow('Not accepted');
    });
  }, FILLED_MS); // oxfmt-ignore
});
