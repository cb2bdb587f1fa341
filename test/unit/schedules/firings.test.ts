/** The cost budget of a schedule. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Dependencies } from '../../../src/activities/ports';
import { costRegister } from '../../../src/shared/schedule';
import { endFiring } from '../../../src/schedules/firings';
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
  const schedule = { name: 'nightly', cost: { cost_usd: 5000, window_ms: 86_400_000 } };
  for (const turn_id of ['a', 'b', 'b'])
    await endFiring(
      { store, turnEnds } as unknown as Dependencies,
      { schedule, turn_id, within_ms: 1 } as Parameters<typeof endFiring>[1],
    );
  const costs = (await store.registers.read(name)).value as { cost_usd: number }[];
  expect([costs.length, costs.reduce((sum, { cost_usd }) => sum + cost_usd, 0)]).toEqual([2000, 2002]);
  await store.close();
});
