/**
 * The AI SDK's own provider packages as subjects of the conformance suite, each against a server that speaks its vendor's protocol.
 * The packages of version 3 and 4 of the interface have the same functions.
 */
import type { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import type { createAzure } from '@ai-sdk/azure';
import type { createGoogleGenerativeAI } from '@ai-sdk/google';
import type { createMistral } from '@ai-sdk/mistral';
import type { createOpenAI } from '@ai-sdk/openai';
import type { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { createXai } from '@ai-sdk/xai';
import { aiSdk } from '../../../src/model/ai-sdk/provider';
import type { AiSdkLanguageModel } from '../../../src/model/ai-sdk/types';
import type { ConformanceSubject } from '../../../src/testing/model-conformance';
import { BEDROCK } from './wires/bedrock';
import { CHAT } from './wires/chat';
import { GEMINI } from './wires/gemini';
import { MISTRAL } from './wires/mistral';
import { RESPONSES } from './wires/responses';
import { startWireServer, type Wire } from './wires/server';

export interface AiSdkPackages {
  createAmazonBedrock: typeof createAmazonBedrock;
  createAzure: typeof createAzure;
  createGoogleGenerativeAI: typeof createGoogleGenerativeAI;
  createMistral: typeof createMistral;
  createOpenAI: typeof createOpenAI;
  createOpenAICompatible: typeof createOpenAICompatible;
  createXai: typeof createXai;
}

type Model = (settings: { apiKey: string; baseURL: string }) => AiSdkLanguageModel;
type Limits = Pick<ConformanceSubject, 'without' | 'hasThought'>;

export function aiSdkSubjects(packages: AiSdkPackages): Record<string, ConformanceSubject> {
  return {
    '@ai-sdk/openai, responses': aiSdkSubject(RESPONSES, (settings) => packages.createOpenAI(settings).responses('model-1'), {
      without: ['stop_sequence', 'address'],
      hasThought: (request) => JSON.stringify(request).includes('encrypted-thought'),
    }),
    '@ai-sdk/openai, chat': aiSdkSubject(CHAT, (settings) => packages.createOpenAI(settings).chat('model-1'), {
      without: ['stop_sequence', 'address', 'thinking'],
    }),
    '@ai-sdk/azure, responses': aiSdkSubject(
      azure(RESPONSES),
      (settings) => packages.createAzure(settings).responses('model-1'),
      {
        without: ['stop_sequence', 'address'],
        hasThought: (request) => JSON.stringify(request).includes('encrypted-thought'),
      },
    ),
    '@ai-sdk/azure, chat': aiSdkSubject(azure(CHAT), (settings) => packages.createAzure(settings).chat('model-1'), {
      without: ['stop_sequence', 'address', 'thinking'],
    }),
    '@ai-sdk/openai-compatible': aiSdkSubject(
      CHAT,
      (settings) => packages.createOpenAICompatible({ name: 'local', ...settings, includeUsage: true }).chatModel('model-1'),
      { without: ['stop_sequence', 'address'] },
    ),
    '@ai-sdk/google': aiSdkSubject(GEMINI, (settings) => packages.createGoogleGenerativeAI(settings)('model-1'), {
      without: ['stop_sequence', 'address', 'call_text', 'call_ids'],
      hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
    }),
    '@ai-sdk/amazon-bedrock': aiSdkSubject(
      BEDROCK,
      (settings) => packages.createAmazonBedrock({ ...settings, region: 'us-east-1' })('model-1'),
      {
        without: ['stop_sequence', 'address'],
        hasThought: (request) => JSON.stringify(request).includes('signed-thought'),
      },
    ),
    '@ai-sdk/mistral': aiSdkSubject(MISTRAL, (settings) => packages.createMistral(settings)('model-1'), {
      without: ['stop_sequence', 'address', 'refusal'],
      hasThought: (request) => JSON.stringify(request).includes('INV-7 is due.'),
    }),
    '@ai-sdk/xai, responses': aiSdkSubject(RESPONSES, (settings) => packages.createXai(settings).responses('model-1'), {
      without: ['stop_sequence', 'address'],
      hasThought: (request) => JSON.stringify(request).includes('encrypted-thought'),
    }),
  };
}

export function aiSdkSubject(wire: Wire, model: Model, limits: Limits): ConformanceSubject {
  return {
    server: () => startWireServer(wire),
    provider: ({ baseUrl }, { key, ...limit }) => aiSdk(model({ apiKey: key, baseURL: baseUrl }), limit),
    ...limits,
  };
}

/** Azure's paths: a gateway's address counts as complete. */
function azure(wire: Wire): Wire {
  return { ...wire, basePath: '/openai/v1', path: new RegExp(wire.path.source.replace('^\\/v1', '^\\/openai\\/v1')) };
}
