import { randomBytes } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import type { WorkflowBundleWithSourceMap } from '@temporalio/worker';
import type { HoldfastClient } from '../../../src/client';
import type { By, TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type {
  Activities,
  AdmitCallInput,
  AdmitCallOutput,
  CallArguments,
  RunCallInput,
  RunCallOutput,
} from '../../../src/shared/io/activities';
import type { Decision } from '../../../src/shared/approval/approval';

type Input<A extends keyof Activities> = Parameters<Activities[A]>[0];
type Output<A extends keyof Activities> = Awaited<ReturnType<Activities[A]>>;
/**
 * Runs one activity. Its error is thrown on, with its message.
 * @param runId of the turn's workflow, whose activity it is; absent: the first one
 */
export type Forge = <A extends keyof Activities>(activity: A, input: Input<A>, runId?: string) => Promise<Output<A>>;

/** Made once a process, since webpack takes seconds for it. */
const shared = globalThis as { holdfastForgeBundle?: Promise<WorkflowBundleWithSourceMap> };

async function bundled(): Promise<WorkflowBundleWithSourceMap> {
  const { bundleWorkflowCode } = await import('@temporalio/worker');
  return bundleWorkflowCode({ workflowsPath: require.resolve('./forge-workflow'), logger: quiet as never });
}

/**
 * Who the attacker is. `worker`: he also answers the tasks of the turn's own workflow, in the place of our workers, so that Temporal
 * attributes the activities that he schedules to the turn. `stranger`: he starts workflows.
 */
type Attacker = 'worker' | 'stranger';

/** Schedules activities from a workflow of the attacker's own, on the worker's task queue. The worker runs in this process. */
export async function withForger<T>(
  client: HoldfastClient,
  taskQueue: string,
  body: (forge: Forge) => Promise<T>,
  attacker: Attacker = 'worker',
): Promise<T> {
  const { NativeConnection, Worker } = await import('@temporalio/worker');
  const { address } = (client.temporal.connection as Connection).options;
  const connection = await NativeConnection.connect({ address });
  const queue = `forge-${randomBytes(6).toString('hex')}`;
  const worker = await Worker.create({
    connection,
    taskQueue: queue,
    workflowBundle: await (shared.holdfastForgeBundle ??= bundled()),
    // As `withEngine`: no thread of its own, no hash of the bundle.
    debugMode: true,
    buildId: 'forge',
  });
  const forge: Forge = async (activity, asked, runId) => {
    const input = structuredClone(asked);
    const workflowId = `${queue}-${randomBytes(6).toString('hex')}`;
    const { turn, approvals } = input as Partial<RunCallInput>;
    if (attacker === 'worker' && turn) {
      const own = { workflowId: turn.workflow_id, runId: runId ?? turn.first_execution_run_id };
      told.set(workflowId, own);
      approvals?.forEach((given) => (given.run_id ||= own.runId));
    }
    const args = [taskQueue, activity, input];
    return client.temporal.workflow.execute('forge', { taskQueue: queue, workflowId, args }).catch((error: any) => {
      throw new Error(error.cause?.cause?.message ?? error.cause?.message ?? error.message);
    }) as never;
  };
  const told = new Map<string, { workflowId: string; runId: string }>();
  const lies = await tellOf(told);
  try {
    return await worker.runUntil(() => body(forge));
  } finally {
    lies.mockRestore();
    await connection.close();
  }
}

/** The information that activities get about the workflow that has scheduled them. */
async function tellOf(told: Map<string, { workflowId: string; runId: string }>): Promise<{ mockRestore(): void }> {
  const { Context } = await import('@temporalio/activity');
  const current = Context.current.bind(Context);
  return jest.spyOn(Context, 'current').mockImplementation(() => {
    const context = current();
    const own = told.get(context.info.workflowExecution?.workflowId ?? '');
    if (own) Object.assign(context.info, { workflowExecution: own });
    return context;
  });
}

export function runForged(client: HoldfastClient, taskQueue: string, input: RunCallInput): Promise<RunCallOutput> {
  return withForger(client, taskQueue, (forge) => forge('runCall', input));
}

const quiet = { log() {}, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** The arguments that would run a call that waits, from where an attacker who reaches Temporal can read them. */
export async function waitingArguments(client: HoldfastClient, turn: TurnHandle, digest: string): Promise<CallArguments> {
  const { events } = await client.temporal.workflow.getHandle(turn.workflowId).fetchHistory();
  const asked = new Map<string, AdmitCallInput>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityType?.name === 'admitCall') asked.set(String(event.eventId), decoded(scheduled.input));
    const done = event.activityTaskCompletedEventAttributes;
    const request = asked.get(String(done?.scheduledEventId));
    if (!request) continue;
    const answer = decoded<AdmitCallOutput>(done!.result);
    if (!answer.ok || answer.digest !== digest) continue;
    const { input, input_ref, input_hash } = answer.decided ?? request.call;
    const target_hash = answer.target_hash ?? null;
    return { ...request.call, input, input_ref, input_hash, target_hash, digest, preview_ref: answer.preview_ref, dispatch: 1 };
  }
  throw new Error(`No call ${digest} was admitted with a card`);
}

/** Made up as if it had been given in time. */
export function approvalOf(call: WaitingCall, name: string, { attestation }: By): Decision {
  return {
    decision: 'approve',
    digest: call.digest,
    by: name,
    note: null,
    identity: '',
    channel: 'signal',
    card_ref: null,
    run_id: '',
    at: new Date().toISOString(),
    expires_at: call.approval.expires_at!,
    ...(attestation === undefined ? {} : { attestation: String(attestation) }),
  };
}

/** Everything else is as the turn would pass it. */
export async function runInput(turn: TurnHandle, call: CallArguments, approvals: Decision[]): Promise<RunCallInput> {
  const [{ head, agent, requester }, { namespace: _, ...audience }] = await Promise.all([turn.status(), turn.audience()]);
  const context = { ...audience, turn_id: turn.id, agent, requester, session_id: null, trace_id: 'trace_20260101_000000000000' };
  return { turn: context, call, at: new Date().toISOString(), head: head!, approvals, verdict: 'ask' };
}

function decoded<T>(payloads: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): T {
  return JSON.parse(Buffer.from(payloads!.payloads![0]!.data!).toString()) as T;
}
