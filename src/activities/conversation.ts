/** The transcript as the model sees it: messages out of blocks, and results into messages. */
import type { ModelMessage } from '../model/provider';
import type { CallOutcome, TurnContext } from '../shared/activity-io';
import type { Json, JsonObject } from '../shared/json';
import { append, walk } from '../store/transcript';
import type { Store } from '../store/store';
import { errorText, resultText, type StoredResult } from '../tools/shape';

/** A message block's first part names the role; each further part is one content block, as it goes over the wire. */
export function messageBodies(role: ModelMessage['role'], content: JsonObject[]): Json[] {
  return [{ role }, ...content];
}

export async function readMessages(store: Store, head: string): Promise<ModelMessage[]> {
  const messages: ModelMessage[] = [];
  for (const { block } of await walk(store, head)) {
    if (block.kind !== 'message') continue;
    const [first, ...content] = await Promise.all(block.parts.map((part) => store.getPart(part)));
    const role = (first as { role: ModelMessage['role'] }).role;
    if (content.length > 0) messages.push({ role, content: content as JsonObject[] });
  }
  return messages;
}

/** Appends decisions that no call wrote itself, then one message with the results in the order of the calls. */
export async function appendOutcomes(
  store: Store,
  turn: TurnContext,
  at: string,
  head: string,
  outcomes: CallOutcome[],
): Promise<string> {
  const scope = turn.first_execution_run_id;
  let parent = head;
  for (const { decision } of outcomes) {
    if (decision) parent = await append(store, scope, { parent, kind: 'decision', at, bodies: [{ ...decision }] });
  }
  if (outcomes.length === 0) return parent;
  const content = await Promise.all(outcomes.map((outcome) => toolResult(store, outcome)));
  return append(store, scope, { parent, kind: 'message', at, bodies: messageBodies('user', content) });
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
