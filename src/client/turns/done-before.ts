/**
 * What was done to a workflow under a name, as its history has it. The name is the id of the update (of a cancellation: its
 * reason), so that Temporal takes it once in a run, and whoever asks again, in whatever process, finds that it was taken.
 */
import { WorkflowNotFoundError, WorkflowUpdateFailedError, type Client } from '@temporalio/client';
import { decodeArrayFromPayloads } from '../../temporal/sdk-private';
import { readRun, timeOf, type HistoryEvent } from '../../temporal/history';
import { CLOCKS_MS } from '../../attestation/trusted-keys';
import type { Unanswered } from '../../temporal/send-update';
import { isJsonObject, type Json } from '../../shared/json/json';

/** What was accepted: what was sent, and what was answered. Of a cancellation both are null. */
export interface Done {
  sent: Json;
  answer: Json;
}

export interface DoneBefore {
  /** Null: nothing was accepted under this name. */
  accepted: Done | null;
  /** How often something was, and was refused: each time under a name of its own, so that it is asked about anew. */
  refused: number;
}

interface Run {
  workflowId: string;
  runId: string;
}

/** While it waits, something was taken. */
export const SENT_BEFORE: Unanswered = { taken: 'no answer yet' };

export const NOTHING_DONE: DoneBefore = { accepted: null, refused: 0 };

/** Under which name it is tried, after so many refusals. */
export function nameOf({ name }: Act, { refused }: DoneBefore): string {
  return `${name}.${refused}`;
}

/** What is asked for: under which name, and since when (ms). */
export interface Act {
  name: string;
  since: number;
}

/** From the newest run back, to the one of that time. What was taken and has no answer yet is waited for. */
export async function doneBefore(client: Client, workflowId: string, { name, since }: Act): Promise<DoneBefore> {
  const names = (id: string | null | undefined): id is string => id?.startsWith(`${name}.`) === true;
  const decoded = async (payloads: Parameters<typeof decodeArrayFromPayloads>[1]) =>
    ((await decodeArrayFromPayloads(client.options.loadedDataConverter, payloads ?? []))[0] ?? null) as Json;
  let refused = 0;
  let next: string | null = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (next !== null) {
    const run: Run = { workflowId, runId: next };
    const sent = new Map<string, Json>();
    const answers = new Map<string, Json | undefined>();
    next = null;
    for await (const event of events(client, run)) {
      const { continuedExecutionRunId: earlier } = event.workflowExecutionStartedEventAttributes ?? {};
      if (earlier && Date.parse(timeOf(event)) + CLOCKS_MS > since) next = earlier;
      if (names(event.workflowExecutionCancelRequestedEventAttributes?.cause))
        return { accepted: { sent: null, answer: null }, refused };
      const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
      if (names(request?.meta?.updateId)) sent.set(request.meta.updateId, await decoded(request.input?.args?.payloads));
      const { meta, outcome } = event.workflowExecutionUpdateCompletedEventAttributes ?? {};
      if (names(meta?.updateId))
        answers.set(meta.updateId, outcome?.success ? await decoded(outcome.success.payloads) : undefined);
    }
    for (const [id, body] of sent) {
      const answer = answers.has(id) ? answers.get(id) : await answerOf(client, run, id);
      if (answer !== undefined && !isRefusal(answer)) return { accepted: { sent: body, answer }, refused };
      refused += 1;
    }
  }
  return { accepted: null, refused };
}

/** Undefined: its run ended without answering it, or it was refused. */
async function answerOf(client: Client, { workflowId, runId }: Run, id: string) {
  try {
    return await client.workflow.getHandle(workflowId, runId).getUpdateHandle<Json>(id, { workflowRunId: runId }).result();
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError || error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/** A run that the namespace retains no longer has none. */
async function* events(client: Client, run: Run): AsyncGenerator<HistoryEvent> {
  try {
    yield* readRun(client, run, { follow: false });
  } catch (error) {
    if ((error as { code?: number }).code !== NOT_FOUND) throw error;
  }
}

const NOT_FOUND = 5;

function isRefusal(answer: Json): boolean {
  return isJsonObject(answer) && answer.accepted === false;
}
