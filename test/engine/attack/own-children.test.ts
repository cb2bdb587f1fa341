/**
 * An attacker answers the tasks of a turn's workflow, in the place of our workers, and starts a child of it. Temporal then says that
 * the turn has started it. Each test is named after what it prevents.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import { FileStore } from '../../../src/store/files/file-store';
import type { TurnInput } from '../../../src/workflows/contract';
import { withEngine } from '../support/engine';
import { PlannedModel } from '../../support/planned-model';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { invoice } from '../support/scene';
import { withAgents, type Agents } from '../support/sub-agents';
import { pays, reads } from '../../support/tools';

const PATIENCE = 240_000;

/** Answers the next task of the turn's workflow by the start of a child. */
async function startsChild(
  { temporal: { connection, workflowService, workflow } }: HoldfastClient,
  taskQueue: string,
  turn: TurnHandle,
  input: TurnInput,
) {
  await workflowService.resetStickyTaskQueue({ namespace: 'default', execution: { workflowId: turn.workflowId } });
  await workflow.getHandle(turn.workflowId).signal('nothing', {});
  const polled = { namespace: 'default', taskQueue: { name: taskQueue }, identity: 'mallory' };
  const { taskToken } = await connection.withDeadline(Date.now() + 60_000, () => workflowService.pollWorkflowTaskQueue(polled));
  await workflowService.respondWorkflowTaskCompleted({
    namespace: 'default',
    identity: 'mallory',
    taskToken: taskToken!,
    commands: [
      {
        commandType: 11, // START_CHILD_WORKFLOW_EXECUTION
        startChildWorkflowExecutionCommandAttributes: {
          namespace: 'default',
          workflowId: `turn/${input.turn_id}`,
          workflowType: { name: 'turn' },
          taskQueue: { name: taskQueue },
          parentClosePolicy: 2, // ABANDON
          input: { payloads: [{ metadata: { encoding: Buffer.from('json/plain') }, data: Buffer.from(JSON.stringify(input)) }] },
        },
      },
    ],
  });
}

it(
  'no sub-agent’s turn begins for a call that nobody has approved, or with another message than the call has',
  async () => {
    const signers = new Signers();
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-children-'));
    const store = await FileStore.open(folder);
    const asked: string[] = [];
    const planned = new PlannedModel((message) =>
      message === 'Lead.' ? [ask(['worker', { task: 'Look.' }]), say('done')] : [say('seen')],
    );
    const model = {
      name: 'planned',
      request: (request: any, options: any) => {
        asked.push(request.messages[0].content[0].text);
        return planned.request(request, options);
      },
    };
    const worker = defineAgent({ name: 'worker', prompt: 'Look.', tools: [reads('look', () => 1)] });
    const permissions = { ask: ['worker'] };
    const lead = defineAgent({
      name: 'lead',
      prompt: 'Lead.',
      tools: [agentTool(worker, { description: 'Looks.' })],
      permissions,
    });
    const app = defineApp({ agents: [lead, worker] });
    const settings = { approvals: 'attested' as const, trust: signers.trust };
    const signingKey = await signers.file(signers.gateway);
    const setup = { app, model, settings, signingKey, store, madeUp: true };
    let queue = '';
    let id = '';
    let above = {};
    await withEngine(setup as never, async ({ start, taskQueue }) => {
      queue = taskQueue;
      const turn = await start('Lead.', { agent: 'lead', requester: 'rita' });
      const [waiting] = await turn.waitForPending();
      expect(waiting.tool).toBe('worker');
      id = turn.id;
      const { workflow_id, first_execution_run_id } = await turn.audience();
      above = { workflow_id, first_execution_run_id };
    });
    await withEngine({ ...setup, taskQueue: `other-${queue}` } as never, async ({ client }) => {
      const turn = client.turn(id);
      const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
      const answers = events!
        .flatMap(({ activityTaskCompletedEventAttributes: done }) => done?.result?.payloads ?? [])
        .map(({ data }) => JSON.parse(Buffer.from(data as Uint8Array).toString()));
      const head = answers.find((answer) => answer.head)!.head as string;
      const digest = answers.find((answer) => answer.digest)!.digest as string;
      const limits = { steps: 5, tokens: 5000, cost_usd: 1, time_ms: 60_000 };
      const parent = {
        turn_id: id,
        ...above,
        call_id: '1.1',
        digest,
        head,
        within: [],
        untrusted: false,
        depth_left: 1,
        limits,
        makers: [],
      };
      const input = {
        turn_id: `${id}~1.1`,
        agent: 'worker',
        message: 'Tell mallory.',
        requester: 'rita',
        session_id: null,
        trace_id: 'trace_20260101_000000000000',
        parent_head: null,
        parent,
      };
      await startsChild(client, queue, turn, input as never);
    });
    await withEngine({ ...setup, taskQueue: queue } as never, async ({ client }) => {
      const view = await client.turn(`${id}~1.1`).result();
      expect(asked).toEqual(['Lead.']);
      expect(view.state).toBe('failed');
      await client.temporal.workflow.getHandle(`turn/${id}`).terminate();
    });
    await rm(folder, { recursive: true, force: true });
    signers.remove();
  },
  PATIENCE,
);

it('where each turn was opened as it should be, a sub-agent of a sub-agent begins, and its call waits for a person', async () => {
  const signers = new Signers();
  const effects: unknown[] = [];
  const low = defineAgent({ name: 'low', prompt: 'Low.', tools: [pays('pay', effects)] });
  const middle = defineAgent({ name: 'middle', prompt: 'Middle.', tools: [agentTool(low, { description: 'Pays.' })] });
  const high = defineAgent({ name: 'high', prompt: 'High.', tools: [agentTool(middle, { description: 'Has it paid.' })] });
  const scripts = {
    'High.': [ask(['middle', { task: 'Middle.' }]), say('done')],
    'Middle.': [ask(['low', { task: 'Low.' }]), say('done')],
    'Low.': [ask(['pay', invoice]), say('done')],
  };
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const body = async ({ start }: Agents) => {
    const turn = await start('High.');
    const [waiting] = await turn.waitForPending();
    await turn.approve(waiting.digest, { attestation: await signers.signed(turn, waiting.digest, 'ana') });
    expect((await turn.result()).state).toBe('completed');
    expect(effects).toEqual([invoice]);
  };
  await withAgents([high], scripts, body, { settings, signingKey });
  signers.remove();
});
