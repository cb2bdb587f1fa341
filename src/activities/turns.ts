/** Other turns, as the activities of one reach them. */
import type { JsonObject } from '../shared/json';
import type { SubTurnFacts } from '../shared/sub-turn';
import type { ForwardDecisionOutput } from '../shared/activity-io';

export interface Turns {
  /** What a turn says of itself, also after its end. Null: there is no workflow of this id. @throws when nobody answers */
  ask(workflowId: string): Promise<AskedTurn | null>;
  /** Gives it a decision. The same `id` again is the same decision. @throws when nobody answers */
  decide(workflowId: string, decision: PassedOn): Promise<ForwardDecisionOutput>;
  /** Whether this very turn still runs. */
  runs(workflowId: string, firstExecutionRunId: string): Promise<boolean>;
  /** Whether this run goes on from that earlier one by continue-as-new alone. After a reset it does not. @throws when nobody answers */
  continues(workflowId: string, runId: string, earlier: string): Promise<boolean>;
  /** Who has started this very workflow as its child, as the server knows. Null: nobody, or it is not there any more. @throws when nobody answers */
  startedBy(workflowId: string, firstExecutionRunId: string): Promise<Starter | null>;
  /** The store that this run bound the turn to. Null: it came to none, or is not there any more. @throws when nobody answers */
  storeOf(workflowId: string, runId: string): Promise<string | null>;
}

export interface PassedOn {
  id: string;
  body: JsonObject;
  identity: string;
  /** ms since 1970: from then on nobody waits for what becomes of it. */
  before: number;
}

export interface Starter {
  workflow_id: string;
  first_execution_run_id: string;
}

export interface AskedTurn {
  /** As Temporal says; null: it runs. */
  closed: 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'TERMINATED' | 'TIMED_OUT' | null;
  /** The workflow that has started it, as the server knows. */
  startedBy: string | null;
  /** Null: it is no turn, or has never come to say anything. */
  facts: SubTurnFacts | null;
}
