/** Each provider that ships does what every provider must (`modelConformance`), against servers that speak its protocol. */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAzure } from '@ai-sdk/azure';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createMistral } from '@ai-sdk/mistral';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createXai } from '@ai-sdk/xai';
import { bedrockProvider, vertexProvider } from '../../../src/model/anthropic/platforms';
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import { OpenAiProvider } from '../../../src/model/openai/provider';
import { modelConformance, type ConformanceSubject } from '../../../src/testing/model-conformance';
import { aiSdkSubject, aiSdkSubjects } from '../../support/model/ai-sdk-subjects';
import { BEDROCK_MESSAGES } from '../../support/model/wires/bedrock';
import { CHAT, XAI_CHAT } from '../../support/model/wires/chat';
import { MESSAGES, VERTEX_MESSAGES } from '../../support/model/wires/messages';
import { RESPONSES } from '../../support/model/wires/responses';
import { startWireServer } from '../../support/model/wires/server';

const SUBJECTS: Record<string, ConformanceSubject> = {
  anthropic: {
    server: () => startWireServer(MESSAGES),
    provider: ({ baseUrl }, { key, ...limit }) => new AnthropicProvider({ apiKey: key, baseUrl, ...limit }),
    hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
  },
  'anthropic on Bedrock': {
    server: () => startWireServer(BEDROCK_MESSAGES),
    provider: ({ baseUrl }, { key, ...limit }) => bedrockProvider({ apiKey: key, baseUrl, ...limit }),
    hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
  },
  'anthropic on Bedrock, with keys of AWS': {
    server: () => startWireServer(BEDROCK_MESSAGES),
    provider: ({ baseUrl }, { key, ...limit }) =>
      bedrockProvider({ credentials: { accessKey: 'AKIA0000', secretKey: key }, region: 'eu-central-1', baseUrl, ...limit }),
    hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
  },
  'anthropic on Vertex AI': {
    server: () => startWireServer(VERTEX_MESSAGES),
    provider: ({ baseUrl }, { key, ...limit }) =>
      vertexProvider({ region: 'europe-west1', projectId: 'acme', authClient: signedIn(key), baseUrl, ...limit }),
    hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
  },
  'openai, responses': {
    server: () => startWireServer(RESPONSES),
    provider: ({ baseUrl }, { key, ...limit }) => new OpenAiProvider({ apiKey: key, baseUrl, ...limit }),
    without: ['stop_sequence'],
    hasThought: (request) => JSON.stringify(request).includes('encrypted-thought'),
  },
  'openai, chat': {
    server: () => startWireServer(CHAT),
    provider: ({ baseUrl }, { key, ...limit }) => new OpenAiProvider({ apiKey: key, baseUrl, api: 'chat', ...limit }),
    without: ['stop_sequence'],
  },
  ...aiSdkSubjects({
    createAmazonBedrock,
    createAzure,
    createGoogleGenerativeAI,
    createMistral,
    createOpenAI,
    createOpenAICompatible,
    createXai,
  }),
  // Version 4 of the interface has it no more.
  '@ai-sdk/xai, chat': aiSdkSubject(XAI_CHAT, (settings) => createXai(settings).chat('model-1'), {
    without: ['stop_sequence', 'address'],
  }),
};

/** Google's client of a service account, as far as the SDK asks it. */
function signedIn(token: string) {
  return { projectId: 'acme', getRequestHeaders: async () => new Headers({ authorization: `Bearer ${token}` }) };
}

describe.each(Object.entries(SUBJECTS))('%s', (_, subject) => {
  test.each(modelConformance(subject))('$name', ({ run }) => run());
});
