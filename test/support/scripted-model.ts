import {
  type ModelProvider,
  type ModelRequest,
  type ModelResponse,
  type StopReason,
  ModelFailure,
} from '../../src/model/provider';
import type { JsonObject } from '../../src/shared/json/json';

export type Answer = { content: JsonObject[]; stopReason?: StopReason; json?: Record<string, string> } | ModelFailure;

/** A model that plays a script, and fails loudly when the script is exhausted. */
export class ScriptedModel implements ModelProvider {
  readonly name = 'scripted';
  readonly requests: ModelRequest[] = [];
  private next = 0;

  constructor(
    private readonly script: Answer[],
    private readonly before?: (index: number, signal: AbortSignal) => Promise<void>,
  ) {}

  async request(request: ModelRequest, { signal }: { signal: AbortSignal }): Promise<ModelResponse> {
    const index = this.next++;
    this.requests.push(structuredClone(request));
    await this.before?.(index, signal);
    const answer = this.script[index];
    if (!answer) {
      throw new ModelFailure(`The script is exhausted at request ${index + 1}`, {
        type: 'model.exhausted',
        retryable: false,
        status: null,
      });
    }
    if (answer instanceof Error) throw answer;
    const uses = answer.content.filter((block) => block.type === 'tool_use');
    return {
      id: `msg_${index + 1}`,
      requestId: null,
      model: 'scripted',
      stopReason: answer.stopReason ?? (uses.length > 0 ? 'tool_use' : 'end_turn'),
      content: answer.content,
      rawToolInputs: answer.content.flatMap((use, block) =>
        use.type === 'tool_use' ? [{ block, json: answer.json?.[String(use.id)] ?? JSON.stringify(use.input) }] : [],
      ),
      usage: { input_tokens: 100, output_tokens: 10, cache_read_tokens: 0, cache_creation_tokens: 0 },
    };
  }
}

export function say(text: string): Answer {
  return { content: [{ type: 'text', text }] };
}

/** One answer that asks for calls; ids are `use_1`, `use_2`… */
export function ask(...calls: [tool: string, input: JsonObject][]): Answer & { content: JsonObject[] } {
  return { content: calls.map(([name, input], index) => ({ type: 'tool_use', id: `use_${index + 1}`, name, input })) };
}

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
