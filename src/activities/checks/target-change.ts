/** Right before the call runs: does its tool still act on what was admitted? */
import { approvalsOf, type RunCallInput } from '../../shared/activity-io';
import { callError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { targetHash, targetOf } from '../../tools/admit/act';
import type { NamedCall } from '../call/call-input';
import type { Dependencies } from '../ports';
import type { HoldAnswer } from './hold';
import type { Tool } from '../../tools/define/tool';

const LONGEST_TEXT = 4000;

export async function targetChanged(
  { store }: Pick<Dependencies, 'store'>,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
): Promise<HoldAnswer> {
  const { turn, call } = request;
  if (turn.store_id === undefined) return null;
  const now = targetOf(tool, input);
  if (!now.ok) return { refused: now.error };
  const hash = targetHash(now.target);
  // The digest, which was compared with the store's record before, covers what the arguments name.
  if (hash === call.target_hash) return null;
  if (tool.class === 'destructive' || approvalsOf(request).length > 0) {
    const { target: admitted } = await store.getCall(call.digest);
    return { kind: 'target_changed', id: hash ?? '', text: bothTargets(tool, admitted, now.target) };
  }
  const message = `${tool.name} was not run: since the call was admitted it acts on something else.`;
  return { refused: callError('TOOL_NOT_FOUND', 'target_changed', message, { hint: 'Ask for the call again.' }) };
}

/** Of a call that was dispatched: why the tool of this worker says nothing of it. Null: it acts on what was admitted. */
export function actsElsewhere(tool: Tool, { input, target }: Pick<NamedCall, 'input' | 'target'>): string | null {
  const now = targetOf(tool, input);
  if (!now.ok) return now.error.message;
  return targetHash(now.target) === targetHash(target) ? null : bothTargets(tool, target, now.target);
}

function bothTargets({ name }: Tool, admitted: JsonObject | null, now: JsonObject | null): string {
  const text = `When it was admitted, ${name} acted on:\n${textOf(admitted)}\nOn this worker it acts on:\n${textOf(now)}`;
  return text.slice(0, LONGEST_TEXT).toWellFormed();
}

function textOf(target: JsonObject | null): string {
  return target === null ? 'nothing that it declares' : JSON.stringify(target, null, 2);
}
