/** The packages of test/ai-sdk-v4, for programs that run under Node 22. */
import { createRequire } from 'node:module';
import type { AiSdkPackages } from './ai-sdk-subjects';

const FUNCTIONS: Record<keyof AiSdkPackages, string> = {
  createAmazonBedrock: '@ai-sdk/amazon-bedrock',
  createAzure: '@ai-sdk/azure',
  createGoogleGenerativeAI: '@ai-sdk/google',
  createMistral: '@ai-sdk/mistral',
  createOpenAI: '@ai-sdk/openai',
  createOpenAICompatible: '@ai-sdk/openai-compatible',
  createXai: '@ai-sdk/xai',
};

/** @param folder where they are installed */
export function aiSdkV4(folder: string): AiSdkPackages {
  const load = createRequire(`${folder}/package.json`);
  const found = Object.entries(FUNCTIONS).map(([name, from]) => [name, (load(from) as Record<string, unknown>)[name]]);
  return Object.fromEntries(found) as AiSdkPackages;
}
