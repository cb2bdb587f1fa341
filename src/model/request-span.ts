/** The span of one request to a model, by OpenTelemetry's conventions for generative AI. */
import { optional } from '../shared/json/optional';
import { contentAttributes, inSpan } from '../telemetry/traces/api';
import type { ChainLink } from './fallback';
import type { ModelRequest, ModelResponse, ModelUsage } from './provider';

/** Names of vendors in the conventions, where they are not ours. */
const VENDORS: Readonly<Record<string, string>> = { bedrock: 'aws.bedrock', vertex: 'gcp.vertex_ai', azure: 'azure.ai.openai' };

export function modelSpan(
  { name, provider }: ChainLink,
  request: ModelRequest,
  ask: () => Promise<ModelResponse>,
): Promise<ModelResponse> {
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': VENDORS[provider.name] ?? provider.name,
    'gen_ai.request.model': request.model,
    'gen_ai.request.max_tokens': request.maxTokens,
    'holdfast.model': name,
  };
  return inSpan(`chat ${request.model}`, { kind: 'client', attributes }, async (add) => {
    add(
      contentAttributes(() => ({
        'gen_ai.system_instructions': request.system,
        'gen_ai.input.messages': request.messages,
      })),
    );
    const response = await ask();
    add({
      'gen_ai.response.id': response.id,
      'gen_ai.response.model': response.model,
      'gen_ai.response.finish_reasons': [response.stopReason],
      ...usageAttributes(response.usage),
    });
    add(contentAttributes(() => ({ 'gen_ai.output.messages': response.content })));
    return response;
  });
}

/** The conventions count tokens from and for the cache as input. */
function usageAttributes({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: ModelUsage) {
  return optional({
    'gen_ai.usage.input_tokens': input_tokens + cache_read_tokens + cache_creation_tokens,
    'gen_ai.usage.output_tokens': output_tokens,
    'gen_ai.usage.cache_read.input_tokens': cache_read_tokens,
    'gen_ai.usage.cache_creation.input_tokens': cache_creation_tokens,
  });
}
