/** What a key is good for once Temporal has forgotten what was done under it: the store has not. */
import { randomBytes } from 'node:crypto';
import { WorkflowNotFoundError } from '@temporalio/client';
import { eventually } from '../support/engine';
import { hashJson } from '../../src/shared/digests';
import { ana, gatewayScene, invoice, rita } from '../support/gateway-scene';

const operationOf = (principal: string, key: string) =>
  `op_${hashJson({ v: 'holdfast.operation/1', principal, key }).slice(0, 40)}`;

it('a destructive call that is sent again under its key after Temporal has forgotten it is refused, and not made again', () =>
  gatewayScene({}, async ({ client, send, effects, store }) => {
    const key = { 'idempotency-key': randomBytes(8).toString('hex') };
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

    const { temporal } = client;
    const workflowExecution = { workflowId: turn.workflowId };
    await temporal.workflowService.deleteWorkflowExecution({ namespace: temporal.options.namespace, workflowExecution });
    await eventually('it is forgotten', () =>
      temporal.workflow
        .getHandle(turn.workflowId)
        .describe()
        .then(
          () => false,
          (error: unknown) => error instanceof WorkflowNotFoundError,
        ),
    );

    // As if it had been sent before the longest that a namespace retains what has ended.
    const days = 24 * 3_600_000;
    const register = `kept/call/${operationOf('acme/rita', key['idempotency-key'])}`;
    await store.registers.update(register, (known, now) => {
      expect(known).toEqual({ at: expect.any(Number) });
      return { value: { at: now - 31 * days }, answer: null };
    });
    const again = await pay();
    expect(again).toMatchObject({ status: 409, body: { error: { reason: 'key_forgotten' } } });
    expect(again.body.error.message).toContain(first.body.call_id);
    expect(effects).toEqual([invoice]);
  }));
