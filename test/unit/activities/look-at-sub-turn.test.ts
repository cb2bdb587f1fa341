import { lookAtSubTurn } from '../../../src/activities/sub-agents/close-sub-turn';
import type { Dependencies } from '../../../src/activities/ports';

it('a turn that Temporal has forgotten, or that somebody has deleted, has ended: the turn above does not wait for ever', async () => {
  const deps = { turns: { ask: async () => null } } as unknown as Dependencies;
  const report = await lookAtSubTurn(deps, { workflow_id: 'turn/t~1' } as Parameters<typeof lookAtSubTurn>[1]);
  expect(report).toMatchObject({ ended: true, state: 'failed', reason: expect.stringContaining('no such turn any more') });
});
