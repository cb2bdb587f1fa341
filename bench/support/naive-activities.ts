import { answer, textOf, type Script, type ScriptedAnswer } from './workload';

export interface NaiveActivities {
  model(messages: unknown[]): Promise<ScriptedAnswer>;
  tool(name: string, input: { key: string }): Promise<unknown>;
}

export function naiveActivities(script: Script): NaiveActivities {
  return {
    model: (messages) => {
      const request = messages.filter((message) => (message as { role: string }).role === 'assistant').length;
      return Promise.resolve(answer(script, request));
    },
    tool: (_name, { key }) => Promise.resolve({ value: textOf(script.resultTokens, `result ${key}`) }),
  };
}
