/**
 * The vendor's SDK, loaded when a provider is made: a program with a model of its own, or one that only throws `ModelFailure`, does
 * not pay for it.
 */

// oxlint-disable-next-line typescript/no-require-imports -- a provider is made without waiting
export const sdk = () => require('@anthropic-ai/sdk') as typeof import('@anthropic-ai/sdk');

export const sdkStreaming = () =>
  // oxlint-disable-next-line typescript/no-require-imports -- as above
  require('@anthropic-ai/sdk/core/streaming') as typeof import('@anthropic-ai/sdk/core/streaming');
