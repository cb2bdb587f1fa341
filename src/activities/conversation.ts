/** The transcript as the model sees it: messages out of blocks, and results into messages. */
import type { ModelMessage } from '../model/provider';
import type { CallOutcome } from '../shared/activity-io';
import type { Json, JsonObject } from '../shared/json';
import type { Store, StoredBlock } from '../store/store';
import type { Draft } from '../store/transcript';
import { errorText, resultText, type StoredResult } from '../tools/shape';

/** A message block's first part names the role; each further part is one content block, as it goes over the wire. */
export function messageBodies(role: ModelMessage['role'], content: JsonObject[]): Json[] {
  return [{ role }, ...content];
}

/** The messages of a transcript's blocks. */
export function messagesOf(blocks: StoredBlock[]): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (const { block, bodies } of blocks) {
    if (block.kind !== 'message') continue;
    const [first, ...content] = bodies;
    const { role } = first as { role: ModelMessage['role'] };
    if (content.length > 0) messages.push({ role, content: content as JsonObject[] });
  }
  return messages;
}

/** Adds decisions that no call wrote itself, then one message with the results in the order of the calls. */
export async function addOutcomes(store: Store, draft: Draft, at: string, outcomes: CallOutcome[]): Promise<void> {
  for (const { decision } of outcomes) if (decision) draft.add('decision', at, [{ ...decision }]);
  if (outcomes.length === 0) return;
  const content = await Promise.all(outcomes.map((outcome) => toolResult(store, outcome)));
  draft.add('message', at, messageBodies('user', content));
}

async function toolResult(store: Store, outcome: CallOutcome): Promise<JsonObject> {
  const failed = outcome.state !== 'succeeded';
  return {
    type: 'tool_result',
    tool_use_id: outcome.tool_use_id,
    content: [{ type: 'text', text: await outcomeText(store, outcome) }],
    ...(failed ? { is_error: true } : {}),
  };
}

async function outcomeText(store: Store, outcome: CallOutcome): Promise<string> {
  if (outcome.result_ref === null) return errorText(outcome.error!, outcome.note);
  const stored = (await store.getPart(outcome.result_ref)) as unknown as StoredResult;
  return resultText(outcome.result_ref, stored, outcome.note);
}
