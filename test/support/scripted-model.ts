import type { ModelRequest } from '../../src/model/provider';

export { ask, say, ScriptedModel, type Answer } from '../../src/testing/agent/scripted-model';

/** The tool results of the last message of a request, parsed. */
export function results(request: ModelRequest): { id: string; isError: boolean; body: any }[] {
  const last = request.messages.at(-1)!;
  return last.content
    .filter((block) => block.type === 'tool_result')
    .map((block) => ({
      id: String(block.tool_use_id),
      isError: block.is_error === true,
      body: JSON.parse((block.content as { text: string }[])[0]!.text),
    }));
}
