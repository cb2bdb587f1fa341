/** A model that gives the answers of a recorded turn again. It keeps no count, so that attempts and turns side by side do not disturb it. */
import type { App } from '../agents/define';
import { type ModelProvider, type ModelRequest, type ModelResponse, ModelFailure } from '../model/provider';
import { NO_TOKENS } from '../model/prices';
import { getOwn, type JsonObject } from '../shared/json/json';
import { RECORDED_MODEL, type RecordedTurn } from './case';

/** All agents of the app are answered from the record. */
export function withRecordedModels(app: App, turns: Readonly<Record<string, RecordedTurn[]>>): App {
  const named = app.agents.map((agent) => [agent, `${RECORDED_MODEL}/${agent.name}`] as const);
  const agents = named.map(([agent, model]) => Object.freeze({ ...agent, model, thinking: undefined }));
  const models = named.map(([{ name }, model]) => [model, { provider: recordedModel(name, getOwn({ ...turns }, name) ?? []) }]);
  return Object.freeze({ ...app, agents, models: Object.fromEntries(models) as NonNullable<App['models']> });
}

export function recordedModel(agent: string, turns: readonly RecordedTurn[]): ModelProvider {
  return {
    name: RECORDED_MODEL,
    async request({ messages }: ModelRequest): Promise<ModelResponse> {
      const [question] = messages;
      const turn = turns.find(({ asked }) => asked !== null && asked === textOf(question?.content ?? [])) ?? turns[0];
      const step = messages.filter(({ role }) => role === 'assistant').length;
      const content = turn?.answers[step];
      if (content === undefined)
        throw new ModelFailure(`The recorded turn of ${agent} has no answer in step ${step + 1}`, {
          type: 'model.exhausted',
          retryable: false,
          status: null,
        });
      const uses = content.flatMap((block, position) => (block.type === 'tool_use' ? [{ block, position }] : []));
      return {
        id: `msg_${step + 1}`,
        requestId: null,
        model: RECORDED_MODEL,
        stopReason: uses.length > 0 ? 'tool_use' : 'end_turn',
        content,
        rawToolInputs: uses.map(({ block, position }) => ({ block: position, json: JSON.stringify(block.input) })),
        usage: NO_TOKENS,
      };
    },
  };
}

function textOf(content: readonly JsonObject[]): string {
  return content.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}
