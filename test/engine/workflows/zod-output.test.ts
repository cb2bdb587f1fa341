/** A tool whose zod schema transforms the input: its functions get the transformed input, in each activity that calls them. */
import { z } from 'zod';
import { defineTool } from '../../../src/tools/define/define';
import { ToolError } from '../../../src/tools/define/errors';
import { withEngine } from '../support/engine';
import { ask, results, say } from '../../support/scripted-model';

it('preview, run and the probe get the schema’s output; question, card and record have the input', async () => {
  const given: [where: string, input: unknown][] = [];
  const note = (where: string, input: { to: string; cents: number }) => void given.push([where, { ...input }]);
  const pay = defineTool({
    name: 'pay',
    version: '1.0.0',
    class: 'destructive',
    description: 'Pays.',
    input: z.object({ to: z.string().trim().toLowerCase(), cents: z.string().transform(Number) }),
    reconcileMs: 3000,
    preview: (input) => (note('preview', input), `Pay ${input.cents + 1}`),
    run: (input) => {
      note('run', input);
      throw new ToolError('NETWORK_ERROR', 'connection_lost', 'the connection was lost after sending');
    },
    reconcile: (input) => {
      note('reconcile', input);
      return { outcome: 'applied', evidence: 'seen', data: { cents: input.cents + 1 } };
    },
  });
  const asked = { to: ' Ana ', cents: '12' };
  await withEngine({ tools: [pay], script: [ask(['pay', asked]), say('Paid.')] }, async ({ client, start, model }) => {
    const turn = await start();
    const [call] = await turn.waitForPending();
    const handle = client.temporal.workflow.getHandle(turn.workflowId);
    const { currentDetails } = await handle.query<{ currentDetails: string }>('__temporal_workflow_metadata');
    expect(currentDetails).toContain('Pay 13');
    expect(currentDetails).toMatch(/" Ana "[^]*"12"/);
    await turn.approve(call.digest, { by: 'ana' });
    expect((await turn.result()).calls[0]).toMatchObject({ state: 'succeeded', effect: 'applied' });
    expect(results(model.requests[1]!)[0]!.body).toMatchObject({ success: true, data: { cents: 13 } });
    const output = { to: 'ana', cents: 12 };
    // Once before the question, and once more right before the effect.
    expect(given).toEqual([['preview', output], ['preview', output], ['run', output], ['reconcile', output]]); // oxfmt-ignore
  });
});
