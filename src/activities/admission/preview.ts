/** What a call would do, by its tool's own word: before a person is asked, and again right before the effect. */
import { Context } from '@temporalio/activity';
import type { TurnContext } from '../../shared/activity-io';
import type { CallError } from '../../shared/wire/errors';
import type { Json, JsonObject } from '../../shared/json/json';
import type { Dependencies } from '../ports';
import { runWhere } from '../call/run-where';
import { toolContext } from '../call/tool-context';
import type { Tool, ToolContext } from '../../tools/define/tool';

/** Time limit of one preview, ms. */
export const PREVIEW_TIMEOUT = 30_000;

/** Read-only by contract: it may run again. `data` is null where the tool has none. */
export async function previewOf(
  deps: Dependencies,
  { turn, callId }: { turn: TurnContext; callId: string },
  tool: Tool,
  input: JsonObject,
  progress: ToolContext['progress'] = () => undefined,
): Promise<{ ok: true; data: Json } | { ok: false; error: CallError }> {
  if (!tool.preview) return { ok: true, data: null };
  const { info, cancellationSignal: cancelled } = Context.current();
  const facts = { tool: tool.name, callId, idempotencyKey: `preview_${callId}`, attempt: info.attempt, progress };
  const { context } = toolContext(deps, turn, facts);
  return runWhere(deps, turn, tool, input, context, { timeoutMs: PREVIEW_TIMEOUT, cancelled }, 'preview');
}
