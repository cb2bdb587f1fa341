/** A model whose answers are written beforehand. It fails the turn when the script has no answer left. */
import { type ModelProvider, type ModelRequest, type ModelResponse, type StopReason, ModelFailure } from '../../model/provider';
import type { JsonObject } from '../../shared/json/json';

/** One answer of the model, or how its request fails. */
export type Answer = { content: JsonObject[]; stopReason?: StopReason; json?: Record<string, string> } | ModelFailure;

export class ScriptedModel implements ModelProvider {
  readonly name = 'scripted';
  /** What it was asked, in order. */
  readonly requests: ModelRequest[] = [];
  private next = 0;

  constructor(
    private readonly script: readonly Answer[],
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

/** An answer of text alone, which ends the turn. */
export function say(text: string): Answer {
  return { content: [{ type: 'text', text }] };
}

/** One answer that asks for calls; their ids are `use_1`, `use_2`… */
export function ask(...calls: [tool: string, input: JsonObject][]): Answer & { content: JsonObject[] } {
  return { content: calls.map(([name, input], index) => ({ type: 'tool_use', id: `use_${index + 1}`, name, input })) };
}
