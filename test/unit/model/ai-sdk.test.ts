/** What the AI SDK's own packages do unless they are told otherwise, and what a turn needs. */
import { createOpenAI } from '@ai-sdk/openai';
import { toCallOptions } from '../../../src/model/ai-sdk/prompt';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import type { AiSdkLanguageModel } from '../../../src/model/ai-sdk/types';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import type { JsonObject } from '../../../src/shared/json/json';
import { pdf, png } from '../../support/files/samples';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';

const USER: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Look at a.' }] };
const REQUEST: ModelRequest = {
  model: 'gpt',
  system: '',
  messages: [USER],
  tools: [{ name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } }],
  serverTools: [],
  maxTokens: 1000,
  options: {},
};

/** The body of the request after an answer with a thought and a call. */
async function secondRequest(options: JsonObject): Promise<JsonObject> {
  const server = await startWireServer(RESPONSES);
  try {
    const provider = aiSdk(createOpenAI({ apiKey: 'key', baseURL: server.baseUrl }).responses('gpt-5.2'));
    const ask = (messages: ModelMessage[]) =>
      provider.request({ ...REQUEST, options, messages }, { signal: new AbortController().signal });
    server.answer({ thinking: 'Look.', text: 'I look.', calls: [{ id: 'call_1', name: 'look', json: '{}' }] }, { text: 'Done.' });
    const { content, raw } = await ask([USER]);
    const result = { type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'seen' }] };
    await ask([
      USER,
      { role: 'assistant', content, origin: { provider: provider.name, raw: raw! } },
      { role: 'user', content: [result] },
    ]);
    return server.requests[1]!;
  } finally {
    await server.close();
  }
}

test('OpenAI keeps no answer: a turn may wait longer than its 30 days, so the answer itself goes back, its reasoning encrypted', async () => {
  const body = await secondRequest({ providerOptions: { openai: { reasoningEffort: 'low' } } });
  expect(body).toMatchObject({ store: false, include: ['reasoning.encrypted_content'], reasoning: { effort: 'low' } });
  expect(JSON.stringify(body.input)).toContain('encrypted-thought');
  expect(JSON.stringify(body.input)).toContain('I look.');
  expect(JSON.stringify(body.input)).not.toContain('item_reference');
});

test('options may let it keep them', async () => {
  const body = await secondRequest({ providerOptions: { openai: { store: true } } });
  expect(body.store).toBe(true);
  expect(JSON.stringify(body.input)).toContain('item_reference');
});

test('xAI keeps no answer either, and is not told what is for OpenAI', () => {
  const options = { providerOptions: { openai: { store: true } } };
  const { providerOptions } = toCallOptions({ ...REQUEST, options }, 'xai.responses', 'v3');
  expect(providerOptions).toEqual({ openai: { store: true }, xai: { store: false } });
});

describe('files', () => {
  const image: JsonObject = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: png().toString('base64') },
  };
  const pdfFile: JsonObject = {
    type: 'document',
    title: 'invoice.pdf',
    source: { type: 'base64', media_type: 'application/pdf', data: pdf().toString('base64') },
  };
  const result: ModelMessage[] = [
    USER,
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'look', input: {} }] },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'call_1', content: [{ type: 'text', text: 'seen' }, image, pdfFile] }],
    },
  ];
  const promptOf = (name: string, version: 'v3' | 'v4') => toCallOptions({ ...REQUEST, messages: result }, name, version).prompt;

  test.each(['openai.chat', 'azure.chat', 'local.chat', 'groq.chat'])(
    'of a result follow it in a message of the user, where the package would write their base64 as text: %s',
    (name) => {
      const [, , tool, user, ...more] = promptOf(name, 'v4');
      expect(tool).toMatchObject({ role: 'tool', content: [{ output: { type: 'text', value: 'seen' } }] });
      expect(user).toMatchObject({
        role: 'user',
        content: [{ text: 'Files in the result of call call_1:' }, { mediaType: 'image/png' }, { filename: 'invoice.pdf' }],
      });
      expect(more).toEqual([]);
    },
  );

  test.each([
    ['openai.responses', 'v3', ['text', 'image-data', 'file-data']],
    ['google.generative-ai', 'v4', ['text', 'file', 'file']],
    ['anthropic.messages', 'v3', ['text', 'image-data', 'file-data']],
    ['amazon-bedrock', 'v4', ['text', 'file', 'file']],
  ] as const)('of a result are in it, where the package sends them: %s, %s', (name, version, types) => {
    const [, , tool, ...more] = promptOf(name, version);
    expect((tool as any).content[0].output.value.map(({ type }: JsonObject) => type)).toEqual(types);
    expect(more).toEqual([]);
  });

  test("for Mistral, whose API refuses the user's words right after a result, an answer stands between", () => {
    expect(promptOf('mistral.chat', 'v3').map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant', 'user']);
  });

  test('that a package cannot send are left out, and the model is told so', async () => {
    const prompts: string[] = [];
    const model: AiSdkLanguageModel = {
      ...{ specificationVersion: 'v3', provider: 'little', modelId: 'm' },
      doStream: async ({ prompt }) => {
        prompts.push(JSON.stringify(prompt));
        if (prompts.at(-1)!.includes('"application/pdf"'))
          throw Object.assign(new Error('no PDF'), { name: 'AI_UnsupportedFunctionalityError' });
        return { stream: answer() };
      },
    };
    const messages: ModelMessage[] = [{ role: 'user', content: [image, pdfFile] }];
    await aiSdk(model).request({ ...REQUEST, messages }, { signal: new AbortController().signal });
    expect(prompts).toHaveLength(2);
    expect(prompts[1]).toContain('image/png');
    expect(prompts[1]).toMatch(/The PDF .*invoice\.pdf.* was left out: this model takes no PDFs/);
  });

  test('above what the model takes are left out', () => {
    const { prompt } = toCallOptions({ ...REQUEST, messages: result }, 'openai.responses', 'v4', { files: { image: 0, pdf: 0 } });
    expect(JSON.stringify(prompt)).toMatch(/this model takes no images.*this model takes no PDFs/);
  });
});

function answer(): ReadableStream<unknown> {
  const parts = [
    { type: 'text-start', id: '0' },
    { type: 'text-delta', id: '0', delta: 'Yes.' },
    { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
  ];
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}
