/** A firing: the worker that may begin its turn, and the cost budget of its schedule. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dependencies } from '../../../src/activities/ports';
import { costRegister, firingTurnId, type ScheduleOrigin } from '../../../src/shared/schedule';
import { scheduleSettings, type ScheduleDefinition } from '../../../src/schedules/definition';
import { beginFiring, endFiring } from '../../../src/schedules/firings';
import { FileStore } from '../../../src/store/files/file-store';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-firings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('counts every turn of a window that has more turns than it keeps', async () => {
  const store = await FileStore.open(folder);
  const name = costRegister('nightly');
  await store.registers.update(name, (_, now) => ({
    value: Array.from({ length: 2000 }, (__, index) => ({ turn_id: `t${index}`, at: now - 1000 + (index >> 1), cost_usd: 1 })),
    answer: null,
  }));
  const turnEnds = { look: async () => ({ state: 'completed', reason: null, usage: { cost_usd: 1 } }) };
  const registry = { schedules: [] };
  const schedule = { name: 'nightly', cost: { cost_usd: 5000, window_ms: 86_400_000 } };
  for (const turn_id of ['nightly-20261122T010000Z', 'nightly-20261123T010000Z', 'nightly-20261123T010000Z'])
    await endFiring(
      { store, turnEnds, registry } as unknown as Dependencies,
      { schedule, turn_id, within_ms: 1 } as Parameters<typeof endFiring>[1],
    );
  const costs = (await store.registers.read(name)).value as { cost_usd: number }[];
  expect([costs.length, costs.reduce((sum, { cost_usd }) => sum + cost_usd, 0)]).toEqual([2000, 2002]);
  await store.close();
});

const DAY = 86_400_000;
const nightly: ScheduleDefinition = {
  name: 'nightly',
  ...{ cron: '0 2 * * *', agent: 'payables', message: 'Pay.', budget: { windowMs: DAY, costUsd: 5 } },
};

/** The costs that the register has after the activity `endFiring` with this input, if it had 2 USD before. */
async function costsAfter({
  turn_id = 'nightly-20261123T010000Z',
  cost_usd = 1,
  window_ms = DAY,
  schedules = [nightly],
}): Promise<number[]> {
  const store = await FileStore.open(mkdtempSync(join(folder, 'store-')));
  const register = costRegister('nightly');
  await store.registers.update(register, (_, now) => ({
    value: [{ turn_id: 'nightly-20261122T010000Z', at: now - 1000, cost_usd: 2 }],
    answer: null,
  }));
  const turnEnds = { look: async () => ({ state: 'completed', reason: null, usage: { cost_usd } }) };
  const deps = { store, turnEnds, registry: { schedules } } as unknown as Dependencies;
  const schedule = { name: 'nightly', cost: { cost_usd: 5, window_ms } };
  await endFiring(deps, { schedule, turn_id, within_ms: 1 } as Parameters<typeof endFiring>[1]);
  const costs = (await store.registers.read(register)).value as { cost_usd: number }[];
  await store.close();
  return costs.map((cost) => cost.cost_usd);
}

describe('the costs of a schedule', () => {
  it('count for the window that the app says, whatever the input says', async () => {
    expect(await costsAfter({ window_ms: 1 })).toEqual([2, 1]);
  });

  it('count for the window of the input where the app has no such schedule', async () => {
    expect(await costsAfter({ schedules: [] })).toEqual([2, 1]);
    expect(await costsAfter({ schedules: [], window_ms: 1 })).toEqual([1]);
  });

  it.each([-7, NaN, Infinity, '7' as never, null as never])('are not changed by a turn whose cost is %s', async (cost_usd) => {
    expect(await costsAfter({ cost_usd })).toEqual([2]);
  });

  it.each(['inv-7', 'weekly-20261123T010000Z', 'nightly-7', 'nightly-a-20261123T010000Z'])(
    'are not changed by the turn %s, which no firing of it has started',
    async (turn_id) => {
      expect(await costsAfter({ turn_id })).toEqual([2]);
    },
  );
});

describe('a firing that begins', () => {
  const payables = { agent: { name: 'payables' } };
  interface Worker {
    agents?: object[];
    schedules?: ScheduleDefinition[];
    signed?: boolean;
    origin?: ScheduleOrigin;
    /** How long ago the firing was due, minutes. */
    minutes?: number;
  }

  async function begin({ agents = [payables], schedules = [nightly], signed = true, origin = 'app', minutes = 0 }: Worker) {
    const at = Date.now() - minutes * 60_000;
    const store = { registers: { read: async () => ({ value: null, now: at }) } };
    const registry = { schedules, agent: () => agents[0] };
    const deps = { store, registry, signStart: async () => 'signature' } as unknown as Dependencies;
    const input = { schedule: scheduleSettings(nightly), origin, turn_id: firingTurnId('nightly', at) };
    return beginFiring(deps, { ...input, scheduled_at: new Date(at).toISOString() }, () => signed);
  }
  const older = [{ ...nightly, message: 'Pay all.' }];
  const waits = { type: 'holdfast.firing_waits', nonRetryable: false };

  it('is signed by a worker whose app has the schedule', async () => {
    expect(await begin({})).toEqual({ begin: true, attestation: 'signature' });
    expect(await begin({ minutes: 600 })).toEqual({ begin: true, attestation: 'signature' });
  });

  it('waits on a worker of another release for one that can sign it', async () => {
    await expect(begin({ schedules: older })).rejects.toMatchObject(waits);
    await expect(begin({ schedules: [], minutes: 29 })).rejects.toMatchObject(waits);
    const end = await begin({ schedules: older, minutes: 31 });
    expect(end).toEqual({ begin: false, reason: expect.stringContaining('not in the app of the worker') });
  });

  it('waits on a worker without its agent for one that has it', async () => {
    for (const signed of [true, false]) {
      await expect(begin({ agents: [], schedules: [], signed })).rejects.toMatchObject(waits);
      const end = await begin({ agents: [], schedules: [], signed, minutes: 31 });
      expect(end).toEqual({ begin: false, reason: expect.stringContaining('no agent payables') });
    }
  });

  it('begins without a signature where none is needed', async () => {
    expect(await begin({ schedules: older, signed: false })).toEqual({ begin: true });
  });

  it('does not wait if a command made the schedule', async () => {
    expect(await begin({ schedules: [], origin: 'command' })).toMatchObject({ begin: false });
    expect(await begin({ agents: [], schedules: [], signed: false, origin: 'command' })).toMatchObject({ begin: false });
    expect(await begin({ schedules: [], signed: false, origin: 'command' })).toEqual({ begin: true });
  });
});
