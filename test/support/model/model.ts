/** A provider against a rehearsal server that ends with the test. */
import { AnthropicProvider } from '../../../src/model/anthropic/provider';
import type { ModelRequest, ModelResponse } from '../../../src/model/provider';
import { startRehearsal, type Rehearsal, type RehearsalOptions } from '../../../src/model/rehearsal';

export const KEY = 'sk-ant-test-0123456789abcdef';

export function request(more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'rehearsal-1',
    system: 'You help.',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Pay INV-7' }] }],
    tools: [],
    serverTools: [],
    maxTokens: 1000,
    options: {},
    ...more,
  };
}

export const PAY = {
  name: 'pay_invoice',
  description: 'Pays one supplier invoice. DESTRUCTIVE.',
  input_schema: {
    type: 'object',
    properties: {
      invoice: { type: 'string' },
      cents: { type: 'integer', exclusiveMinimum: 0, maximum: Number.MAX_SAFE_INTEGER },
    },
    required: ['invoice', 'cents'],
    additionalProperties: false,
  },
};

export interface Stage {
  server: Rehearsal;
  provider: AnthropicProvider;
  ask(more?: Partial<ModelRequest>, signal?: AbortSignal): Promise<ModelResponse & { streamed: string }>;
}

const open: Rehearsal[] = [];

/** Call in `afterEach`. */
export async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((server) => server.close()));
}

export async function stage(options: RehearsalOptions = {}, timeoutMs?: number): Promise<Stage> {
  const server = await startRehearsal(options);
  open.push(server);
  const provider = new AnthropicProvider({ apiKey: KEY, baseUrl: server.baseUrl, ...(timeoutMs ? { timeoutMs } : {}) });
  const ask = async (more: Partial<ModelRequest> = {}, signal = new AbortController().signal) => {
    let streamed = '';
    const response = await provider.request(request(more), { signal, onText: (delta) => (streamed += delta) });
    return { ...response, streamed };
  };
  return { server, provider, ask };
}

export async function failureOf(promise: Promise<unknown>): Promise<any> {
  return promise.then(
    () => {
      throw new Error('it did not fail');
    },
    (error: unknown) => error,
  );
}
