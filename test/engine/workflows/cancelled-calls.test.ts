/** A destructive call whose turn is cancelled or interrupted while the call waits for a dispatch, the first or a later one. */
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { StopRegister } from '../../../src/stop/register';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { ToolError } from '../../../src/tools/define/errors';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { eventually, withEngine, type Engine } from '../support/engine';

const invoice = { invoice: 'INV-7', cents: 700 };
const script = () => [ask(['pay', invoice]), say('done')];
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** Starts the turn, and approves its call with a note. */
async function approved({ start }: Engine): Promise<{ turn: TurnHandle; digest: string }> {
  const turn = await start('Pay it.', { requester: 'rita' });
  const [{ digest }] = await turn.waitForPending();
  await turn.approve(digest, { by: 'ana', note: 'Today.' });
  return { turn, digest };
}

/** The decisions that the transcript has, each with its note. */
async function recordedDecisions(store: Store, turn: TurnHandle) {
  const { head } = await turn.status();
  const blocks = await walk(store, head);
  return blocks.flatMap(({ block, bodies }) => (block.kind === 'decision' ? bodies : [])) as {
    by: string;
    note: string | null;
  }[];
}

/** A tool that fails each time. `tries`: so far. */
function failing(error: () => Error, idempotent: boolean) {
  const counter = { tries: 0 };
  const run = () => {
    counter.tries += 1;
    throw error();
  };
  return { counter, tools: [pays('pay', [], { idempotent, run })] };
}

const afterSending = (retryAfterMs?: number) => new ToolError('NETWORK_ERROR', 'connection_lost', 'lost after sending', { ...(retryAfterMs ? { retryAfterMs } : {}) }); // oxfmt-ignore
const beforeSending = (retryAfterMs: number) => new ToolError('NETWORK_ERROR', 'no_line', 'No line.', { nothingHappened: true, retryAfterMs }); // oxfmt-ignore

/** The call has run once, and waits for its repetition. */
async function waitsForRepetition({ store }: Engine, turn: TurnHandle, state: string) {
  const { idempotency_key } = (await turn.status()).calls[0]!;
  await eventually('it has run once', async () => (await store.effects.latest(idempotency_key!))?.state === state);
}

describe('a cancelled turn', () => {
  it('has a call in doubt settled that runs while it is cancelled, though its tool is idempotent', async () => {
    let running = false;
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let tries = 0;
    const run = async () => {
      tries += 1;
      running = true;
      await released;
      throw afterSending();
    };
    await withEngine({ tools: [pays('pay', [], { idempotent: true, run })], script: script() }, async (engine) => {
      const { turn, digest } = await approved(engine);
      await eventually('it runs', async () => running);
      await turn.cancel();
      release();
      await eventually('it is in doubt', async () => (await turn.status()).calls[0]!.state === 'in_doubt');
      await turn.settle(digest, 'applied', { by: 'bob' });
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ state: 'succeeded', effect: 'applied' }] });
      expect(view.reason).toContain('Already done: pay (call 1.1, applied)');
      expect(tries).toBe(1);
    });
  });

  it('has a call in doubt settled that waits for its repetition', async () => {
    const { counter, tools } = failing(() => afterSending(20 * MINUTE), true);
    await withEngine({ tools, script: script() }, async (engine) => {
      const { turn, digest } = await approved(engine);
      await waitsForRepetition(engine, turn, 'in_doubt');
      await turn.cancel();
      await eventually('it is in doubt', async () => (await turn.status()).calls[0]!.state === 'in_doubt');
      await turn.settle(digest, 'not_applied', { by: 'bob' });
      expect(await turn.result()).toMatchObject({ state: 'cancelled', calls: [{ state: 'failed', effect: 'not_applied' }] });
      expect(counter.tries).toBe(1);
    });
  });

  it('says of a call that has proved to have done nothing what it gave, and does not repeat it', async () => {
    const { counter, tools } = failing(() => beforeSending(20 * MINUTE), false);
    await withEngine({ tools, script: script() }, async (engine) => {
      const { turn } = await approved(engine);
      await waitsForRepetition(engine, turn, 'not_applied');
      await turn.cancel();
      expect(await turn.result()).toMatchObject({
        state: 'cancelled',
        calls: [{ state: 'failed', effect: 'not_applied', error: { reason: 'no_line' } }],
      });
      expect(counter.tries).toBe(1);
    });
  });

  it('says of an approved call that has not begun that it was not run, and keeps the decision on record', async () => {
    const effects: unknown[] = [];
    await withEngine({ tools: [pays('pay', effects)], script: script() }, async (engine) => {
      await new StopRegister(engine.store).freeze({ scope: 'tool', name: 'pay' }, 'root', 'x');
      const { turn } = await approved(engine);
      await eventually('its call waits for the freeze', async () => (await turn.status()).frozen);
      await turn.cancel();
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'cancelled', calls: [{ state: 'cancelled', effect: 'refused' }] });
      expect(view.calls[0]!.error!.message).toContain('this call was not run');
      expect(await recordedDecisions(engine.store, turn)).toMatchObject([{ by: 'ana', note: 'Today.' }]);
      expect(effects).toEqual([]);
    });
  });
});

describe('a call that waits for its repetition', () => {
  it('ends with what its dispatch gave once somebody interrupts the turn, and is not repeated', async () => {
    const { counter, tools } = failing(() => beforeSending(20 * MINUTE), false);
    await withEngine({ tools, script: script() }, async (engine) => {
      const { turn } = await approved(engine);
      await waitsForRepetition(engine, turn, 'not_applied');
      await turn.interrupt({ by: 'ana' });
      expect(await turn.result()).toMatchObject({
        state: 'cancelled',
        reason: 'Interrupted by ana.',
        calls: [{ state: 'failed', effect: 'not_applied', error: { reason: 'no_line' } }],
      });
      expect(counter.tries).toBe(1);
    });
  });

  it('is not repeated if its upstream asks for more than an hour: the model is told so at once', async () => {
    const { counter, tools } = failing(() => beforeSending(24 * HOUR), false);
    await withEngine({ tools, script: script() }, async (engine) => {
      const { turn } = await approved(engine);
      expect(await turn.result()).toMatchObject({ state: 'completed', calls: [{ state: 'failed', effect: 'not_applied' }] });
      expect(counter.tries).toBe(1);
    });
  });
});
