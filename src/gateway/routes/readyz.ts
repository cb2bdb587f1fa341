/** `GET /readyz`: whether requests should be sent here. Why not is in the log: whoever asks may be anybody. */
import { z } from 'zod';
import { answer } from '../schemas/answers';
import { recently, type Check } from '../../telemetry/readiness';
import type { GatewayParts, Route } from '../route';

const readiness = z.object({ ready: z.boolean(), checks: z.array(z.object({ check: z.string(), ok: z.boolean() })) });

const answerOf = (description: string, ready: boolean) =>
  answer(description, readiness.extend({ ready: z.literal(ready) }), { ready, checks: [{ check: 'temporal', ok: ready }] });

const schema = {
  summary: 'Whether this process should be given requests',
  tags: ['operation'],
  response: {
    200: answerOf('It should.', true),
    503: answerOf('It should not: it is ending, or Temporal or the store do not answer, or no worker has polled yet.', false),
  },
};

export const readyz: Route = (app, parts) => {
  const findings = recently(checksOf(parts));
  app.get<{ Reply: z.infer<typeof readiness> }>(
    '/readyz',
    { schema, config: { roles: 'public', rateLimit: false } },
    async (_request, reply) => {
      const found = app.draining.aborted ? [{ check: 'gateway', ok: false, detail: 'it is ending' }] : await findings();
      const ready = found.every(({ ok }) => ok);
      if (!ready) parts.log.warn({ findings: found }, 'not ready');
      const checks = found.map(({ check, ok }) => ({ check, ok }));
      return reply
        .code(ready ? 200 : 503)
        .header('cache-control', 'no-store')
        .send({ ready, checks });
    },
  );
};

function checksOf({ client, store }: GatewayParts): Check[] {
  const temporal = async () => {
    const { connection, options } = (await client()).temporal;
    await connection.workflowService.describeNamespace({ namespace: options.namespace });
  };
  let polled = false;
  // Until the first: a gateway stays ready while workers are exchanged.
  const worker = async () => {
    polled ||= (await (await client()).lastPoll()) !== null;
    if (!polled) throw new Error('No worker has polled the task queue yet.');
  };
  return [
    { name: 'temporal', look: temporal, todo: 'Is the Temporal server of the settings up?' },
    { name: 'store', look: () => store.registers.read('readiness'), todo: 'Can HOLDFAST_STORE be read?' },
    { name: 'worker', look: worker, todo: 'Is a worker of this task queue up? `holdfast worker` starts one.' },
  ];
}
