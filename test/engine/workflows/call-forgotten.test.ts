/** A direct call is asked for again under its key, after Temporal has forgotten it. The store still knows it. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { CallHandle } from '../../../src/client/turns/direct-call';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { ToolContext } from '../../../src/tools/define/tool';
import { eventually, withEngine } from '../support/engine';
import { ownKey } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

it('a destructive call under a key that the store knows is refused however it is started, and nobody is asked', async () => {
  const effects: unknown[] = [];
  await withEngine({ tools: [pays('pay', effects), reads('look', () => ({ found: 1 }))] }, async ({ client }) => {
    const [inv7, inv8, seen] = ['inv-7', 'inv-8', 'seen'].map(ownKey) as [string, string, string];
    const pay = (id: string, requester = 'local') => client.call({ tool: 'pay', input: invoice, id, requester });
    const look = () => client.call({ tool: 'look', input: { key: 'a' }, id: seen });
    const waiting = async ({ turn }: CallHandle) => (await turn.waitForPending())[0].digest;
    /** As at the end of what a namespace retains. */
    const forget = async ({ turn: { workflowId } }: CallHandle) => {
      const { namespace } = client.temporal.options;
      await client.temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
      const gone = (error: unknown) => error instanceof WorkflowNotFoundError;
      const describe = () => client.temporal.workflow.getHandle(workflowId).describe();
      await eventually('it is forgotten', () => describe().then(() => false, gone), 60_000);
    };

    const [paid, denied, read] = await Promise.all([pay(inv7), pay(inv8), look()]);
    await paid.turn.approve(await waiting(paid), { by: 'ana' });
    await denied.turn.deny(await waiting(denied), { by: 'ana' });
    await Promise.all([paid, denied, read].map((call) => call.result()));
    await Promise.all([paid, denied, read].map(forget));

    for (const first of [paid, denied]) {
      const again = await pay(first === paid ? inv7 : inv8);
      expect(again.id).toBe(first.id);
      const message = expect.stringContaining(`${first.id} was used for a call on `);
      const error = { code: 'INVALID_PARAMS', reason: 'key_forgotten', message };
      expect(await again.result()).toMatchObject({ success: false, error });
      expect((await again.turn.status()).calls).toMatchObject([{ state: 'rejected' }]);
    }
    // A read does no harm; another principal's key of the same name is another.
    expect(await (await look()).result()).toMatchObject({ success: true });
    const others = await pay(inv7, 'rita');
    await waiting(others);
    await others.turn.cancel();
    await others.result();
    expect(effects).toEqual([invoice]);
  });
});

it('a turn that is started by hand under the id of one that has ended is another: people are asked, under other keys', async () => {
  const keys: string[] = [];
  const pay = pays('pay', [], { run: (_: unknown, { idempotencyKey }: ToolContext) => ({ paid: keys.push(idempotencyKey) }) });
  const script = [ask(['pay', invoice]), say('Paid.'), ask(['pay', invoice]), say('Paid again.')];
  await withEngine({ tools: [pay], script }, async ({ client, start, taskQueue }) => {
    const approved = async (turn: TurnHandle) => {
      const [{ digest }] = await turn.waitForPending();
      await turn.approve(digest, { by: 'ana' });
      return turn.result();
    };
    const turn = await start('Pay INV-7.');
    const first = await approved(turn);
    const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
    const { input } = events![0]!.workflowExecutionStartedEventAttributes!;
    const args = [JSON.parse(Buffer.from(input!.payloads![0]!.data!).toString())];
    const options = { workflowId: turn.workflowId, taskQueue, args, workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const };
    await client.temporal.workflow.start('turn', options);
    const second = await approved(client.turn(turn.id));
    expect([first.state, second.state]).toEqual(['completed', 'completed']);
    expect(second.run_id).not.toBe(first.run_id);
    expect(new Set(keys).size).toBe(2);
  });
});
