import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import Long from 'long';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { ScheduleDefinition } from '../../../src/schedules/definition';
import type { FiringReport } from '../../../src/shared/schedule';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import { verifyBundle } from '../../../src/audit/verify';
import { bundleOf } from '../../support/bundle-of';
import { capturedLog } from '../../support/captured-log';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { ringOf, ringService } from '../../support/encryption/ring';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { keepForReplay } from '../support/replays';

const invoice = { invoice: 'INV-7', cents: 700 };
const names: string[] = [];
/** Schedules are of the whole namespace: each test has names of its own, and its schedules are deleted. */
const newName = () => {
  const name = `t${randomBytes(5).toString('hex')}`;
  names.push(name);
  return name;
};

/** The app of one agent `tester` with these schedules. */
const appOf = (...schedules: (Partial<ScheduleDefinition> & { name: string })[]) =>
  defineApp({
    agents: [defineAgent({ name: 'tester', prompt: 'Test.', tools: [pays('pay', [])] })],
    schedules: schedules.map((one) => ({ agent: 'tester', message: 'Look.', ...(one.every ? {} : { cron: '@yearly' }), ...one })),
  });

async function scheduled(setup: Setup, body: (engine: Engine) => Promise<void>): Promise<void> {
  await withEngine(setup, async (engine) => {
    try {
      await body(engine);
    } finally {
      for (const name of names.splice(0)) await engine.client.schedules.delete(name).catch(() => undefined);
    }
  });
}

/** Waits until there are so many firings, and each has ended or waits for a person. */
const firings = ({ client }: Engine, name: string, count: number) =>
  eventually(`${count} firings of ${name}`, async () => {
    const { firings: all } = await client.schedules.show(name);
    return all.length === count && all.every(({ state }) => !['starting', 'running'].includes(state)) && all;
  });

const DEFAULT = { namespace: 'default' };

/** The id of a turn is made of the second at which it is due. */
const nextSecond = () => sleep(1000);

async function reportsOf({ client: { temporal } }: Engine, name: string): Promise<FiringReport[]> {
  const { info } = await temporal.schedule.getHandle(`schedule/${name}`).describe();
  const runs = info.recentActions.map(({ action: { workflow } }) => ({
    workflowId: workflow.workflowId,
    runId: workflow.firstExecutionRunId,
  }));
  const reports = await Promise.all(
    runs.map(({ workflowId, runId }) => temporal.workflow.getHandle(workflowId, runId).result() as Promise<FiringReport>),
  );
  await keepForReplay(temporal, ...runs);
  return reports;
}

describe('a schedule', () => {
  it('fires each time once, under an id made of the time, also where the clocks change', async () => {
    const name = newName();
    const app = appOf({ name, cron: '0 7 * * *', timezone: 'Europe/Berlin', message: 'Report.' });
    await scheduled({ app, script: [say('One.'), say('Two.'), say('Three.')] }, async (engine) => {
      const { client, model } = engine;
      const days = { from: new Date('2026-10-24T05:00:00Z'), until: new Date('2026-10-26T12:00:00Z') };
      await client.schedules.backfill(name, days);
      const ids = ['20261024T050000Z', '20261025T060000Z', '20261026T060000Z'].map((time) => `${name}-${time}`);
      expect((await firings(engine, name, 3)).map(({ turn_id, state }) => `${turn_id} ${state}`).reverse()).toEqual(
        ids.map((id) => `${id} completed`),
      );
      const { requester, text } = await client.turn(ids[0]!).status();
      expect({ requester, text }).toEqual({ requester: `schedule/${name}`, text: 'One.' });
      await client.schedules.backfill(name, days);
      await firings(engine, name, 6);
      const reports = await reportsOf(engine, name);
      expect(reports.map(({ state }) => state)).toEqual([...Array(3).fill('completed'), ...Array(3).fill('elsewhere')]);
      expect(model.requests).toHaveLength(3);
    });
  });

  it('fires where payloads are encrypted, and its message is not readable in Temporal', async () => {
    const name = newName();
    const { keys: codecKeys } = await ringService(ringOf('one'));
    const app = appOf({ name, message: 'Look at canary4711.' });
    await scheduled({ app, script: [say('Looked.')], codecKeys }, async (engine) => {
      const { client, model } = engine;
      await client.schedules.trigger(name);
      expect(await firings(engine, name, 1)).toEqual([expect.objectContaining({ state: 'completed' })]);
      expect(JSON.stringify(model.requests)).toContain('canary4711');
      const request = { namespace: 'default', scheduleId: `schedule/${name}` };
      const kept = await client.temporal.workflowService.describeSchedule(request);
      const [payload] = kept.schedule!.action!.startWorkflow!.input!.payloads!;
      expect(Buffer.from(payload!.metadata!.encoding!).toString()).toBe('binary/encrypted');
      expect(Buffer.from(payload!.data!).includes('canary4711')).toBe(false);
    });
  });

  it('leaves out a time that does not exist where the clocks change, and fires once at one that comes twice', async () => {
    const name = newName();
    await scheduled({ app: appOf({ name, cron: '30 2 * * *', timezone: 'Europe/Berlin' }) }, async ({ client: { temporal } }) => {
      const times = async (start: string, end: string) => {
        const { startTime } = await temporal.workflowService.listScheduleMatchingTimes({
          ...{ namespace: 'default', scheduleId: `schedule/${name}` },
          ...{
            startTime: { seconds: Long.fromNumber(Date.parse(start) / 1000) },
            endTime: { seconds: Long.fromNumber(Date.parse(end) / 1000) },
          },
        });
        return startTime.map(({ seconds }) => new Date(Number(seconds) * 1000).toISOString().slice(0, 16));
      };
      expect(await times('2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z')).toEqual(['2026-03-28T01:30', '2026-03-30T00:30']);
      expect(await times('2026-10-24T00:00:00Z', '2026-10-26T12:00:00Z')).toEqual([
        ...['2026-10-24T00:30', '2026-10-25T01:30', '2026-10-26T01:30'],
      ]);
    });
  });

  it('skips a time while its turn waits for a person, who is not the schedule itself', async () => {
    const name = newName();
    await scheduled({ app: appOf({ name }), script: [ask(['pay', invoice]), say('Paid.')] }, async (engine) => {
      const { client } = engine;
      await client.schedules.trigger(name);
      const { turn_id, state } = (await firings(engine, name, 1))[0]!;
      expect(state).toBe('awaiting_approval');
      const turn = client.turn(turn_id);
      const [call] = await turn.waitForPending();
      await expect(turn.approve(call.digest, { by: `Schedule/${name}` })).rejects.toThrow(
        'is a schedule, and only people decide',
      );
      await eventually('a time is skipped', async () => {
        await client.schedules.trigger(name);
        return (await client.schedules.show(name)).skipped > 0;
      });
      await turn.approve(call.digest, { by: 'ana' });
      expect(await turn.result()).toMatchObject({ state: 'completed', requester: `schedule/${name}` });
      const key = SigningKey.generate();
      const bundle = await bundleOf(client.temporal, engine.store, turn_id, key);
      expect(await verifyBundle([Buffer.from(bundle)], [trustedEntry(key, { bundle: true })])).toMatchObject({
        verdict: 'intact',
      });
      expect(bundle).toContain(`"requester":"schedule/${name}"`);
      expect((await client.schedules.show(name)).firings).toHaveLength(1);
      expect(await reportsOf(engine, name)).toMatchObject([{ schedule: name, turn_id, state: 'completed', reason: null }]);
    });
  });

  it('with buffer_one begins one turn, and no more, when the turn before has ended', async () => {
    const name = newName();
    const script = [ask(['pay', invoice]), say('Paid.'), say('The second.')];
    await scheduled({ app: appOf({ name, overlap: 'buffer_one' }), script }, async (engine) => {
      const { client, model } = engine;
      await client.schedules.trigger(name);
      const [first] = await firings(engine, name, 1);
      const buffered = async () => {
        const { info } = await client.temporal.workflowService.describeSchedule({ ...DEFAULT, scheduleId: `schedule/${name}` });
        return Number(info!.bufferSize);
      };
      await nextSecond();
      await client.schedules.trigger(name);
      await eventually('a time is buffered', async () => (await buffered()) === 1);
      await nextSecond();
      await client.schedules.trigger(name);
      await eventually('a time is skipped', async () => (await client.schedules.show(name)).skipped === 1);
      const turn = client.turn(first!.turn_id);
      const [call] = await turn.waitForPending();
      expect([model.requests.length, await buffered()]).toEqual([1, 1]);
      await turn.approve(call.digest, { by: 'ana' });
      expect((await firings(engine, name, 2)).map(({ state }) => state)).toEqual(['completed', 'completed']);
      expect(model.requests).toHaveLength(3);
      await reportsOf(engine, name);
    });
  });

  it('with cancel_other cancels the turn that goes on, whose call does not run, and begins the next', async () => {
    const name = newName();
    const script = [ask(['pay', invoice]), say('The second.')];
    await scheduled({ app: appOf({ name, overlap: 'cancel_other' }), script }, async (engine) => {
      const { client } = engine;
      await client.schedules.trigger(name);
      const [first] = await firings(engine, name, 1);
      await nextSecond();
      await client.schedules.trigger(name);
      expect(await client.turn(first!.turn_id).result()).toMatchObject({ state: 'cancelled', calls: [{ effect: 'refused' }] });
      const second = await eventually('the second has ended', async () => {
        const { firings: all } = await client.schedules.show(name);
        return all.find(({ turn_id, state }) => turn_id !== first!.turn_id && state === 'completed');
      });
      expect((await client.turn(second.turn_id).status()).text).toBe('The second.');
    });
  });

  it('of an interval pauses with a note, is triggered while it is paused, and goes on', async () => {
    const name = newName();
    const definition = { name, every: '1s', agent: 'tester', message: 'Look.', overlap: 'allow_all' as const };
    await scheduled({ script: Array(60).fill(say('Seen.')) }, async (engine) => {
      const { client } = engine;
      const made = await client.schedules.create(definition, 'not yet');
      expect(made).toMatchObject({ origin: 'command', paused: true, note: 'not yet', when: 'every 1 s', taken: 0 });
      await client.schedules.trigger(name);
      const [first] = await firings(engine, name, 1);
      await client.schedules.resume(name, 'go');
      const { note, next } = await eventually('it goes on', async () => {
        const view = await client.schedules.show(name);
        return view.taken > 1 && view;
      });
      expect([note, next.length]).toEqual(['go', 10]);
      await client.schedules.pause(name, 'enough');
      const view = await client.schedules.show(name);
      expect(view).toMatchObject({ paused: true, note: 'enough' });
      expect(view.firings.map(({ turn_id }) => turn_id)).toContain(first!.turn_id);
      await eventually('no turn goes on', async () =>
        (await client.schedules.show(name)).firings.every(({ state }) => state === 'completed'),
      );
    });
  });

  it('is changed by a worker that starts with another definition, paused if the app has it no more, and left alone if a command made it', async () => {
    const [kept, gone, own] = [newName(), newName(), newName()] as [string, string, string];
    const captured = capturedLog();
    const taskQueue = `schedules-${kept}`;
    await withEngine({ app: appOf({ name: kept }, { name: gone }), taskQueue }, async ({ client }) => {
      await client.schedules.create({ name: own, cron: '@daily', agent: 'tester', message: 'By hand.' });
      await client.schedules.pause(kept, 'by ana');
    });
    const app = appOf({ name: kept, message: 'Another.' }, { name: own });
    await withEngine({ app, taskQueue, log: captured.log }, async ({ client }) => {
      expect(await client.schedules.show(kept)).toMatchObject({ message: 'Another.', paused: true, note: 'by ana' });
      expect(await client.schedules.show(own)).toMatchObject({ message: 'By hand.', origin: 'command' });
      const { paused, note } = await client.schedules.show(gone);
      expect([paused, note]).toEqual([true, expect.stringContaining('Not in the app any more')]);
    });
    await scheduled({ app: appOf({ name: gone }), taskQueue }, async ({ client }) => {
      expect(await client.schedules.show(gone)).toMatchObject({ paused: false, note: 'In the app again' });
    });
    expect(captured.lines().filter(({ schedule }) => schedule !== undefined)).toMatchObject([
      { schedule: kept, msg: 'schedule updated', changed: ['message'] },
      { schedule: own, msg: 'a command has made a schedule of this name' },
      { schedule: gone, msg: 'schedule paused: the app does not have it any more' },
    ]);
  });

  it('is not changed by a worker of a version that is not the current one', async () => {
    const [kept, added] = [newName(), newName()] as [string, string];
    const captured = capturedLog();
    const taskQueue = `schedules-${kept}`;
    await withEngine({ app: appOf({ name: kept }), taskQueue }, async () => undefined);
    const settings = { deployment: { name: taskQueue, buildId: 'b' } };
    const app = appOf({ name: kept, message: 'Another.' }, { name: added });
    await scheduled({ app, taskQueue, settings, log: captured.log }, async ({ client }) => {
      expect(await client.schedules.show(kept)).toMatchObject({ message: 'Look.' });
      await expect(client.schedules.show(added)).rejects.toMatchObject({ name: 'ScheduleNotFound' });
    });
    expect(captured.said('schedules stay as they are: this version is not the current one')).toHaveLength(1);
  });

  it('starts no turn when the turns of its period have cost its budget', async () => {
    const name = newName();
    const agents = [defineAgent({ name: 'tester', prompt: 'Test.', tools: [], model: 'priced' })];
    const prices = { input: 10_000, output: 10_000, cacheRead: 0, cacheWrite: 0 };
    const models = { priced: { provider: new ScriptedModel([say('Dear.'), say('Never.')]), prices } };
    const budget = { windowMs: 3_600_000, costUsd: 0.5 };
    const schedules = [{ name, cron: '@yearly', agent: 'tester', message: 'Look.', budget }];
    await scheduled({ app: defineApp({ agents, models, schedules }) }, async (engine) => {
      await engine.client.schedules.trigger(name);
      expect(await firings(engine, name, 1)).toMatchObject([{ state: 'completed' }]);
      await reportsOf(engine, name);
      const second = await eventually('it fires again', async () => {
        await engine.client.schedules.trigger(name);
        const { firings: all } = await engine.client.schedules.show(name);
        return all.length > 1 && all[0]!.state === 'not_started' && all[0];
      });
      expect(second.reason).toContain('The budget of this schedule is spent: its turns cost 1.1000 USD in the last 1 h');
    });
  });

  it('of the app is signed by the worker where starts must be signed; one of a command starts no turn there', async () => {
    const [name, own] = [newName(), newName()] as [string, string];
    const signers = new Signers();
    const key = await signers.file(signers.gateway);
    const settings = { approvals: 'attested' as const, trust: signers.trust, signingKey: key };
    try {
      await scheduled({ app: appOf({ name }), script: [say('Seen.')], settings, madeUp: true }, async (engine) => {
        const { client } = engine;
        await client.schedules.trigger(name);
        expect(await firings(engine, name, 1)).toMatchObject([{ state: 'completed' }]);
        await client.schedules.create({ name: own, cron: '@daily', agent: 'tester', message: 'By hand.' });
        await client.schedules.trigger(own);
        const [firing] = await firings(engine, own, 1);
        expect(firing).toMatchObject({ state: 'not_started', reason: expect.stringContaining('not in the app of the worker') });
      });
    } finally {
      signers.remove();
    }
  });
});
