/**
 * The HTTP server with which the gateway is compared, as a process of its own: Fastify with routes that start a workflow, and
 * nothing else: no token, no schema, no limits, no log lines.
 */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import fastify from 'fastify';
import { HoldfastClient } from '../../src/client';
import { dataConverter } from '../../src/temporal/data-converter';
import { EMPTY_TASK_QUEUE, OUR_TASK_QUEUE } from './task-queues';

interface Start {
  Body: { agent: string; message: string };
}

async function main(address: string): Promise<void> {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const holdfast = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue: OUR_TASK_QUEUE, uiUrl: null });
  const app = fastify();
  app.post<Start>('/empty', async ({ body }, reply) => {
    const options = { taskQueue: EMPTY_TASK_QUEUE, workflowId: randomUUID(), args: [body.message] };
    const { workflowId } = await client.workflow.start('empty', options);
    return reply.code(202).send({ workflow_id: workflowId });
  });
  app.post<Start>('/turn', async ({ body }, reply) => {
    const { workflowId } = await holdfast.start(body);
    return reply.code(202).send({ workflow_id: workflowId });
  });
  app.get<{ Params: { id: string } }>('/empty/:id', async ({ params }) => {
    const { status } = await client.workflow.getHandle(params.id).describe();
    return { state: status.name };
  });
  console.log(JSON.stringify({ url: await app.listen({ host: '127.0.0.1', port: 0 }) }));
  process.once('disconnect', () => process.exit());
}

main(process.argv[2]!).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
