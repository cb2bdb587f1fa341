import type { HoldfastClient } from '../../../../src/client';
import { workspaceTools } from '../../../../packs/workspace/src';
import { eventually, withEngine } from '../../../engine/support/engine';
import { ask, results, say } from '../../../support/scripted-model';
import { Place } from './support';

let place: Place;
beforeEach(() => (place = new Place()));
afterEach(() => place.remove());

const tools = () => workspaceTools({ root: place.root });

/** When calls began and ended to run, as history tells it. */
async function runs(client: HoldfastClient, workflowId: string): Promise<string[]> {
  const { events } = await client.temporal.workflow.getHandle(workflowId).fetchHistory();
  const calls = new Set<string>();
  return events!.flatMap((event) => {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'runCall') return calls.add(String(event.eventId)) && ['begin'];
    return calls.has(String(event.activityTaskCompletedEventAttributes?.scheduledEventId)) ? ['end'] : [];
  });
}

describe('the workspace pack in a turn', () => {
  it('writes different files in one batch, and edits one file in the order of the calls', async () => {
    place.put('a.txt', 'one two\n');
    const script = [
      ask(['write_file', { path: '/x.txt', content: 'x' }], ['write_file', { path: '/new/y.txt', content: 'y' }]),
      ask(
        ['edit_file', { path: '/a.txt', old_text: 'one', new_text: '1' }],
        ['edit_file', { path: '/a.txt', old_text: '1 two', new_text: 'done' }],
        ['read_file', { path: '/a.txt' }],
      ),
      say('done'),
    ];
    await withEngine({ tools: tools(), script }, async ({ start, model, client }) => {
      const turn = await start();
      const view = await turn.result();
      expect(view.state).toBe('completed');
      expect(await runs(client, turn.workflowId)).toEqual([
        'begin',
        'begin',
        'end',
        'end',
        'begin',
        'end',
        'begin',
        'end',
        'begin',
        'end',
      ]);
      expect(view.calls.map((call) => [call.tool, call.state])).toEqual([
        ['write_file', 'succeeded'],
        ['write_file', 'succeeded'],
        ['edit_file', 'succeeded'],
        ['edit_file', 'succeeded'],
        ['read_file', 'succeeded'],
      ]);
      expect([place.get('x.txt'), place.get('new/y.txt'), place.get('a.txt')]).toEqual(['x', 'y', 'done\n']);
      expect(results(model.requests[2]!).at(-1)!.body.data).toMatchObject({ path: '/a.txt', content: 'done\n' });
    });
  });

  it('asks before a command runs, and runs it once', async () => {
    const script = [ask(['bash', { command: 'echo ran >> log.txt; cat log.txt' }]), say('done')];
    await withEngine({ tools: tools(), script }, async ({ start, client }) => {
      const turn = await start();
      const [call] = await turn.waitForPending();
      expect(() => place.get('log.txt')).toThrow('ENOENT');
      const card = await eventually('the card', async () => {
        const handle = client.temporal.workflow.getHandle(turn.workflowId);
        const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
        return currentDetails.includes(call!.digest) && currentDetails;
      });
      expect(card).toContain('echo ran >> log.txt; cat log.txt');
      await turn.approve(call!.digest, { by: 'ana' });
      const view = await turn.result();
      expect(view.calls[0]).toMatchObject({
        state: 'succeeded',
        effect: 'applied',
        result_summary: 'exit code 0, 4 bytes of output',
      });
      expect(place.get('log.txt')).toBe('ran\n');
    });
  });

  it('refuses a dangerous command without asking, and the turn goes on', async () => {
    const script = [ask(['bash', { command: 'rm -rf /' }]), say('I will not.')];
    await withEngine({ tools: tools(), script }, async ({ start, model }) => {
      const view = await (await start()).result();
      expect(view).toMatchObject({ state: 'completed', calls: [{ state: 'rejected' }] });
      expect(results(model.requests[1]!)[0]!.body.error).toMatchObject({ reason: 'dangerous_command' });
    });
  });
});
