/** One run of an admitted call: what its checks, its tool and its record need. `resolveCall` makes it; it is passed on as a whole. */
import type { CallArguments, LaterCompletion, RunCallInput, RunCallOutput, TurnContext } from '../../shared/io/activities';
import type { JsonObject } from '../../shared/json/json';
import type { Tool } from '../../tools/define/tool';
import type { Dependencies } from '../ports';

/** A tool and the input that a call of a turn gives it. */
export interface ToolCall {
  deps: Dependencies;
  turn: TurnContext;
  call: Pick<CallArguments, 'id'>;
  tool: Tool;
  input: JsonObject;
}

export interface CallContext extends ToolCall {
  /** The input of the activity. */
  request: RunCallInput;
  call: CallArguments;
}

/** @param tool default: the stand-in, for a call that is not run */
export function callContext(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool = toolStub(request.call),
  input: JsonObject = {},
): CallContext {
  return { deps, request, turn: request.turn, call: request.call, tool, input };
}

/** A stand-in for the tool of a call that this worker may not have: it has the name, version and class that were admitted. */
export function toolStub({ tool, version, class: toolClass }: RunCallInput['call']): Tool {
  return { name: tool, version, class: toolClass } as Tool;
}

/** The output of a run whose call ends later. */
export function pendingOutput(later: LaterCompletion, took_ms: number): RunCallOutput {
  const nothing = { effect: null, result_ref: '', summary: '', error: null, head: null };
  return { state: 'pending', ...nothing, attempts: 1, took_ms, later };
}
