/** A workflow with a made-up memo is listed without it, and with all others. */
import Long from 'long';
import { listBudgets } from '../../../src/client/budgets';
import { makeClient } from '../../../src/temporal/make-client';

const json = (value: unknown) => plain('json/plain', JSON.stringify(value));
const plain = (encoding: string, data: string) => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});

/** A Temporal that lists a workflow for each memo. */
function withMemos(fields: { [name: string]: object }[]) {
  const executions = fields.map((memo, index) => ({
    execution: { workflowId: `w/${index}`, runId: 'run' },
    type: { name: 'turn' },
    status: 1,
    taskQueue: 'holdfast',
    historyLength: Long.fromNumber(1),
    startTime: { seconds: Long.ZERO, nanos: 0 },
    memo: { fields: memo },
  }));
  const workflowService = { listWorkflowExecutions: async () => ({ executions, nextPageToken: new Uint8Array() }) };
  return makeClient({ connection: { workflowService, plugins: [] } as never, namespace: 'default', codec: null });
}

it.each([
  ['that is no JSON', plain('json/plain', '{"a":')],
  ['that is too deep', plain('json/plain', '['.repeat(200_000))],
  ['of an unknown encoding', plain('json/other', '1')],
  ['of an encoding that is refused', plain('holdfast/refused: made up', '1')],
  ['without an encoding', {}],
  ['that is encrypted, for a client without keys', plain('binary/encrypted', 'x')],
])('a memo %s ends no list', async (_, payload) => {
  const listed: unknown[] = [];
  for await (const { memo } of withMemos([{ one: json(1), other: payload }, { two: json(2) }]).workflow.list()) listed.push(memo);
  expect(listed).toEqual([{ one: 1 }, { two: 2 }]);
});

it.each([[null], ['payables'], [7], [{}], [{ agent: 'a', budget: 'b', per: 'session', of: 1 }], [[]]])(
  'a budget that is called %j is not listed',
  async (name) => {
    const temporal = withMemos([{ holdfast_budget: json(name) }]);
    const listed = [];
    for await (const budget of listBudgets({ temporal, taskQueue: 'holdfast' }, {})) listed.push(budget);
    expect(listed).toEqual([]);
  },
);
