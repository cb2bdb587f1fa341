/** A key still counts after Temporal has forgotten what was done under it: the store remembers. */
import { WorkflowNotFoundError } from '@temporalio/client';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { hashJson } from '../../../src/shared/json/digests';
import { turnIdFromKey } from '../../../src/shared/ids';
import type { Store } from '../../../src/store/store';
import { eventually } from '../support/engine';
import { ana, gatewayScene, invoice, rita } from '../support/gateway-scene';
import { textOf, withMcp } from '../support/mcp';
import { ownKey } from '../../support/gateway';
import { pays } from '../../support/tools';

const operationOf = (principal: string, key: string) =>
  `op_${hashJson({ v: 'holdfast.operation/1', principal, key }).slice(0, 40)}`;

async function forgotten({ temporal }: HoldfastClient, { workflowId }: TurnHandle): Promise<void> {
  const { namespace } = temporal.options;
  await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution: { workflowId } });
  await eventually('it is forgotten', () =>
    temporal.workflow
      .getHandle(workflowId)
      .describe()
      .then(
        () => false,
        (error: unknown) => error instanceof WorkflowNotFoundError,
      ),
  );
}

/** As if the request had been sent before the longest retention of a namespace. */
function longAgo({ registers }: Store, principal: string, key: string): Promise<null> {
  return registers.update(`kept/call/${operationOf(principal, key)}`, (known, now) => {
    expect(known).toEqual({ at: expect.any(Number) });
    return { value: { at: now - 31 * 24 * 3_600_000 }, answer: null };
  });
}

it('a destructive call that is sent again under its key, after Temporal has forgotten it, is refused and does not run again', () =>
  gatewayScene({}, async ({ client, send, effects, store }) => {
    const key = { 'idempotency-key': ownKey('pay') };
    const pay = () => send(rita, 'POST', '/tools/pay', { input: invoice }, key);
    const approve = (call: any) =>
      send(
        ana,
        'POST',
        call.decisions_url,
        { decision: 'approve', call: call.pending[0] },
        { 'idempotency-key': call.pending[0] },
      );
    const first = await pay();
    expect(first.status).toBe(202);
    expect((await approve(first.body)).status).toBe(200);
    const turn = client.turn(first.body.call_id);
    await turn.result();
    expect(effects).toEqual([invoice]);

    await forgotten(client, turn);
    await longAgo(store, 'acme/rita', key['idempotency-key']);
    const again = await pay();
    expect(again).toMatchObject({ status: 409, body: { error: { reason: 'key_forgotten' } } });
    expect(again.body.error.message).toContain(first.body.call_id);
    expect(effects).toEqual([invoice]);
  }));

it('a destructive call that comes again over MCP is refused too', () => {
  const effects: unknown[] = [];
  const agents = [{ name: 'tester', prompt: 'Test.', tools: [pays('pay', effects)], permissions: { allow: ['pay'] } }];
  return withMcp({ people: [rita], agents }, async ({ connect, client, store }) => {
    const mcp = await connect(rita);
    const key = ownKey('pay');
    const pay = () => mcp.callTool({ name: 'pay', arguments: invoice, _meta: { 'holdfast/idempotency_key': key } });
    expect((await pay()).structuredContent).toEqual({ paid: true });
    await forgotten(client, client.turn(`call/${turnIdFromKey('acme/rita', key)}`));
    await longAgo(store, 'acme/rita', key);
    expect(JSON.parse(textOf(await pay())).error).toMatchObject({ reason: 'key_forgotten' });
    expect(effects).toEqual([invoice]);
  });
});
