/**
 * The part of the AI SDK's `LanguageModel` interface that is used here, of its versions 3 and 4, so that no package of the AI SDK is
 * needed to compile. Source: the declarations of `@ai-sdk/provider` 3.0.18 and 4.0.38.
 */
import type { JsonObject } from '../../shared/json/json';

export interface AiSdkLanguageModel {
  readonly specificationVersion: 'v3' | 'v4';
  /** `openai.responses`, `google.generative-ai` … */
  readonly provider: string;
  readonly modelId: string;
  doStream(options: AiSdkCallOptions): PromiseLike<AiSdkStreamResult>;
}

export interface AiSdkCallOptions {
  prompt: any[]; // oxlint-disable-line typescript/no-explicit-any -- both versions have a union of their own here
  maxOutputTokens: number;
  tools?: any[]; // oxlint-disable-line typescript/no-explicit-any -- as above
  toolChoice?: { type: 'none' };
  abortSignal: AbortSignal;
}

export interface AiSdkStreamResult {
  stream: ReadableStream<unknown>;
  response?: { headers?: Record<string, string> };
}

/** One part of the stream, read as JSON. */
export type AiSdkPart = JsonObject;
