import type { ModelProvider, ModelRequest, ModelResponse } from '../../src/model/provider';
import { ScriptedModel, type Answer } from './scripted-model';

/** A model for many turns at once: each has its own script, which its message contains. */
export class PlannedModel implements ModelProvider {
  readonly name = 'planned';

  constructor(private readonly scriptOf: (message: string) => Answer[]) {}

  request(request: ModelRequest, options: { signal: AbortSignal }): Promise<ModelResponse> {
    const { messages } = request;
    const [{ text }] = messages[0]!.content as unknown as [{ text: string }];
    const answered = messages.filter(({ role }) => role === 'assistant').length;
    return new ScriptedModel(this.scriptOf(text).slice(answered)).request(request, options);
  }
}
