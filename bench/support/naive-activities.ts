import Anthropic from '@anthropic-ai/sdk';
import { answer, textOf, type Script, type ScriptedAnswer } from './workload';

export interface NaiveActivities {
  model(messages: unknown[]): Promise<ScriptedAnswer>;
  tool(name: string, input: { key: string }): Promise<unknown>;
}

/** @param modelUrl URL of the scripted model; null: it answers in this process */
export function naiveActivities(script: Script, modelUrl: string | null, onRequest = () => {}): NaiveActivities {
  return {
    model: modelUrl === null ? inProcess(script, onRequest) : overHttp(modelUrl),
    tool: (_name, { key }) => Promise.resolve({ value: textOf(script.resultTokens, `result ${key}`) }),
  };
}

function inProcess(script: Script, onRequest: () => void): NaiveActivities['model'] {
  return (messages) => {
    onRequest();
    const request = messages.filter((message) => (message as { role: string }).role === 'assistant').length;
    return Promise.resolve(answer(script, request));
  };
}

/** Requests an answer as a team would: through the vendor's SDK, as a stream. */
function overHttp(baseURL: string): NaiveActivities['model'] {
  const client = new Anthropic({ baseURL, apiKey: 'bench' });
  const tools: Anthropic.Tool[] = [
    {
      name: 'look_up',
      description: 'Looks one key up.',
      input_schema: { type: 'object', properties: { key: { type: 'string' } }, required: ['key'] },
    },
  ];
  return async (messages) => {
    const request = {
      model: 'bench',
      max_tokens: 1000,
      system: 'Look up.',
      messages: messages as Anthropic.MessageParam[],
      tools,
    };
    const { content } = await client.messages.stream(request).finalMessage();
    const text = content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
    const toolUses = content.flatMap((block) => (block.type === 'tool_use' ? [block] : []));
    return { text, content: content as never, toolUses: toolUses as never };
  };
}
