/** Waits of a model (`wait_until`): a turn sleeps by a timer, and a message, an answer, an interruption or a cancel ends its sleep. */
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent } from '../../../src/agents/define';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { JsonObject } from '../../../src/shared/json/json';
import { askPerson } from '../../../src/tools/people/ask-person';
import { waitUntil } from '../../../src/agents/wait-until';
import { ask, say, type Answer } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { FILLED_MS, FILLS_A_SHORT_RUN, sendJunk, shortRunServer } from '../support/fill-run';
import { children, withAgents } from '../support/sub-agents';
import { TestTime } from '../support/time-server';

const DAY = 86_400_000;
const time = new TestTime();
const short = shortRunServer();
const longWait: JsonObject = { after: '3 days', reason: 'The transfer settles on Thursday.' };
const wait = waitUntil({ longestMs: 7 * DAY });

interface Asleep extends Engine {
  turn: TurnHandle;
}

const isAsleep = (turn: TurnHandle) =>
  eventually('it sleeps', async () => {
    const view = await turn.status();
    return view.state === 'sleeping' && view;
  });

/** A turn whose model waits first. */
function asleep(setup: Partial<Setup>, body: (on: Asleep) => Promise<void>): Promise<void> {
  const script = [ask(['wait_until', longWait]), say('done')];
  return withEngine({ tools: [wait], script, ...setup }, async (engine) => {
    const turn = await engine.start('Wait for it.', { requester: 'rita' });
    await isAsleep(turn);
    await body({ ...engine, turn });
  });
}

/** The results of the model's calls so far, as it was told them in its last request. */
const told = ({ model }: Pick<Engine, 'model'>) => {
  const { messages } = model.requests.at(-1)!;
  const content = messages.flatMap((message) => message.content).filter(({ type }) => type === 'tool_result');
  return content.map(({ content: [text] }: any) => JSON.parse(text.text));
};

const shown = async ({ client }: Engine, { workflowId }: TurnHandle) => {
  const handle = client.temporal.workflow.getHandle(workflowId);
  const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
  const { searchAttributes, raw } = await handle.describe();
  return { currentDetails, state: searchAttributes.HoldfastState, activities: raw.pendingActivities ?? [] };
};

describe('a wait of a model', () => {
  it('lasts three days without a running activity, is shown meanwhile, and says afterwards that its time has come', () => {
    const ms = time.either('3 days', 3000);
    const input = { ...longWait, after: `${ms / 1000}s` };
    return asleep({ time, script: [ask(['wait_until', input]), say('done')] }, async (on) => {
      const { turn } = on;
      const { sleep } = await turn.status();
      expect(sleep).toEqual({ call_id: '1.1', until: expect.any(String), reason: longWait.reason });
      const { currentDetails, state, activities } = await shown(on, turn);
      expect(currentDetails).toContain(`sleeps until ${sleep!.until}: \`${String(longWait.reason)}\``);
      expect([state, activities]).toEqual([['sleeping'], []]);
      await time.skip(ms + 1000);
      const view = await turn.result();
      expect(view).toMatchObject({ state: 'completed', text: 'done' });
      expect(view).not.toHaveProperty('sleep');
      expect(view.calls).toMatchObject([{ tool: 'wait_until', state: 'succeeded', effect: null }]);
      const [{ success, data }] = told(on);
      expect([success, data]).toEqual([true, { woke_by: 'time', at: expect.any(String), until: sleep!.until }]);
      expect(Date.parse(data.at)).toBeGreaterThanOrEqual(Date.parse(data.until));
    });
  }); // oxfmt-ignore

  it('takes no working time from the turn, and ends at a time that the model names', () => {
    const ms = time.either('2 hours', 6000);
    const script: Answer[] = [];
    const agent = { limits: { timeMs: time.either('1 hour', 5000) } };
    return withEngine({ time, tools: [wait], script, agent }, async (engine) => {
      const at = new Date(Date.now() + ms).toISOString();
      script.push(ask(['wait_until', { at, reason: 'It settles.' }]), say('done'));
      const turn = await engine.start();
      expect((await isAsleep(turn)).sleep).toMatchObject({ until: at });
      await time.skip(ms);
      expect(await turn.result()).toMatchObject({ state: 'completed' });
      expect(told(engine)).toMatchObject([{ data: { woke_by: 'time', until: at } }]);
    });
  }); // oxfmt-ignore

  it('is ended by a message to the turn, which the model then reads', () =>
    asleep({}, async (on) => {
      await on.turn.steer('It has settled.', { by: 'ana' });
      expect(await on.turn.result()).toMatchObject({ state: 'completed', steered_by: ['ana'] });
      expect(told(on)).toMatchObject([{ data: { woke_by: 'message' } }]);
      expect(JSON.stringify(on.model.requests.at(-1)!.messages)).toContain('It has settled.');
    }));

  it('is ended by an interruption, and by a cancel', async () => {
    const ended = { state: 'cancelled', calls: [{ state: 'cancelled', error: { reason: 'turn_cancelled' } }] };
    await asleep({}, async ({ turn }) => {
      await turn.interrupt({ by: 'ana' });
      expect(await turn.result()).toMatchObject(ended);
    });
    await asleep({}, async ({ turn }) => {
      await turn.cancel();
      expect(await turn.result()).toMatchObject(ended);
    });
  });

  it('is ended by the answer to a question beside it, and a call beside it runs meanwhile', () => {
    const effects: unknown[] = [];
    const script = [
      ask(['wait_until', longWait], ['ask_person', { question: 'Has it settled?' }], ['pay', { invoice: 'INV-7', cents: 700 }]),
      say('done'),
    ];
    const tools = [wait, askPerson(), pays('pay', effects)];
    return withEngine({ tools, script, agent: { permissions: { allow: ['pay'] } } }, async (engine) => {
      const turn = await engine.start();
      const [question] = await turn.waitForPending();
      expect(await turn.status()).toMatchObject({ state: 'awaiting_answer', sleep: { call_id: '1.1' } });
      await turn.answer(question.digest, 'Yes.', { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed' });
      expect(effects).toHaveLength(1);
      expect(told(engine)).toMatchObject([{ data: { woke_by: 'answer' } }, { data: { answer: 'Yes.' } }, { success: true }]);
    });
  });

  it('goes on beside a call that has ended, and the results come in order', () => {
    const look = reads('look', async () => ({ seen: true }));
    const script = [ask(['wait_until', longWait], ['look', {}], ['wait_until', { ...longWait, after: '5 days' }]), say('done')];
    return asleep({ tools: [wait, look], script }, async (on) => {
      const { turn } = on;
      await eventually('the read has run', async () => (await turn.status()).calls[1]!.state === 'succeeded');
      expect((await turn.status()).sleep).toMatchObject({ call_id: '1.3' });
      await turn.steer('Go on.', { by: 'ana' });
      await turn.result();
      expect(told(on)).toMatchObject([
        { data: { woke_by: 'message' } },
        { data: { seen: true } },
        { data: { woke_by: 'message' } },
      ]);
    });
  });

  it('of a sub-agent makes the turn above it sleep too', () => {
    const child = defineAgent({ name: 'waiter', prompt: 'Wait.', tools: [wait] });
    const asks = agentTool(child, { description: 'Waits.' });
    const lead = defineAgent({ name: 'lead', prompt: 'Lead.', tools: [asks] });
    const scripts = {
      'Lead.': [ask([asks.name, { task: 'Wait.' }]), say('done')],
      'Wait.': [ask(['wait_until', longWait]), say('slept')],
    };
    return withAgents([lead, child], scripts, async ({ start, client }) => {
      const turn = await start();
      const [below] = await children(client, turn);
      await isAsleep(below!);
      expect((await isAsleep(turn)).sub_turns).toMatchObject([{ state: 'sleeping' }]);
      await below!.steer('Go on.', { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed', text: 'done' });
    });
  });

  it('goes on in the next run of a full turn, until the same time', () =>
    asleep({ address: short.address }, async (on) => {
      const { turn, client } = on;
      const before = await turn.status();
      await sendJunk(client, turn, FILLS_A_SHORT_RUN);
      await eventually('another run goes on', async () => (await turn.status()).run_id !== before.run_id);
      const after = await isAsleep(turn);
      expect(after.sleep).toEqual(before.sleep);
      await turn.steer('Go on.', { by: 'ana' });
      expect((await turn.result()).state).toBe('completed');
      expect(told(on)).toMatchObject([{ data: { woke_by: 'message', until: before.sleep!.until } }]);
    }), FILLED_MS); // oxfmt-ignore
});

describe('wait_until', () => {
  it('tells the model what is wrong with a wait, and what to do', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const inputs: JsonObject[] = [
      { after: '8 days', reason: 'x' },
      { after: 'soon', reason: 'x' },
      { at: at(-60_000), reason: 'x' },
      { at: at(8 * DAY), reason: 'x' },
    ];
    const script = [ask(...inputs.map((input): [string, JsonObject] => ['wait_until', input])), say('done')];
    await withEngine({ tools: [wait], script }, async (engine) => {
      const view = await (await engine.start()).result();
      const refused = (reason: string) => ({ state: 'rejected', error: { code: 'INVALID_PARAMS', reason } });
      expect(view.calls).toMatchObject(['wait_too_long', 'bad_after', 'not_in_future', 'wait_too_long'].map(refused));
      expect(told(engine)[2].error.hint).toContain('give a later one');
    });
  });

  it('waits only once a person has approved, where rules ask for it', () => {
    const agent = { permissions: { ask: ['wait_until'] } };
    const script = [ask(['wait_until', { after: '1s', reason: 'x' }]), say('done')];
    return withEngine({ tools: [wait], script, agent }, async (engine) => {
      const turn = await engine.start();
      const [call] = await turn.waitForPending();
      await turn.approve(call.digest, { by: 'ana', input: { after: '2s', reason: 'x' } });
      const [again] = await eventually('the changed wait is asked about', async () => {
        const waiting = await turn.pending();
        return waiting[0]?.digest !== call.digest && waiting;
      });
      await turn.approve(again!.digest, { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed' });
      expect(told(engine)).toMatchObject([{ data: { woke_by: 'time' } }]);
    });
  });

  it('is refused as a direct call, which has nothing to go on with', () =>
    withEngine({ tools: [wait] }, async ({ call }) => {
      const { turn } = await call('wait_until', longWait);
      const view = await turn.result();
      expect(view.calls).toMatchObject([{ state: 'rejected', error: { reason: 'no_model' } }]);
    }));
});
