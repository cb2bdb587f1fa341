/** The stage of the conformance checks: a server that answers as a check says, and the provider that asks it. */
import type { JsonObject } from '../shared/json/json';
import type { ModelMessage, ModelProvider, ModelRequest, ModelResponse, StopReason } from '../model/provider';

/** The credential of each check; it must appear in no message. */
export const CONFORMANCE_KEY = 'sk-conformance-0123456789abcdef';

/** One answer that the server gives, in neutral words. */
export interface WireAnswer {
  thinking?: string;
  text?: string;
  /** The text of each input, as the model writes it; it need not be JSON. */
  calls?: readonly { id: string; name: string; json: string }[];
  /** Default: `tool_use` with calls, else `end_turn`. */
  stop?: StopReason;
  usage?: { input: number; output: number; cacheRead: number };
  fault?: WireFault;
}

/** How the answer fails. */
export type WireFault =
  | { kind: 'status'; status: number; message?: string; headers?: Record<string, string> }
  /** The connection closes in the middle of the stream. */
  | { kind: 'cut' }
  /** The stream ends properly, without the event that ends an answer. */
  | { kind: 'no-end' }
  /** An error event in the middle, of the vendor's type for an overload. */
  | { kind: 'error-event' }
  /** A page of a proxy, with status 200. */
  | { kind: 'page' }
  /** Nothing more comes after the first events. */
  | { kind: 'silence' };

export interface WireServer {
  readonly baseUrl: string;
  /** The bodies of the requests so far. */
  readonly requests: readonly JsonObject[];
  /** Answers the next requests with these, in order. */
  answer(...answers: WireAnswer[]): void;
  close(): Promise<void>;
}

export interface ConformanceSubject {
  server(): Promise<WireServer>;
  /** @param key sent as the credential; must not appear in any message */
  provider(server: WireServer, options: { key: string; timeoutMs?: number }): ModelProvider;
  /**
   * What the protocol cannot carry, or what nobody can know: the `address` of the server, the text of an input as the model wrote it
   * (`call_text`), ids of calls. The checks about it are left out.
   */
  without?: readonly ('thinking' | 'cache' | 'stop_sequence' | 'refusal' | 'files' | 'address' | 'call_text' | 'call_ids')[];
  /** Whether a request sends the thought of an earlier answer back, if the vendor wants that. */
  hasThought?(request: JsonObject): boolean;
}

export interface ConformanceCheck {
  name: string;
  run(): Promise<void>;
}

/** One server, and a provider that asks it. */
export class ConformanceStage {
  constructor(
    private readonly subject: ConformanceSubject,
    readonly server: WireServer,
  ) {}

  async ask(
    answer: WireAnswer,
    {
      signal = new AbortController().signal,
      timeoutMs,
      ...more
    }: Partial<ModelRequest> & { signal?: AbortSignal; timeoutMs?: number } = {},
  ): Promise<ModelResponse & { streamed: string }> {
    this.server.answer(answer);
    const provider = this.subject.provider(this.server, {
      key: CONFORMANCE_KEY,
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    });
    let streamed = '';
    const response = await provider.request({ ...REQUEST, ...more }, { signal, onText: (delta) => (streamed += delta) });
    return { ...response, streamed };
  }

  /** The name that the provider's answers have in a conversation. */
  providerName(): string {
    return this.subject.provider(this.server, { key: CONFORMANCE_KEY }).name;
  }

  lastRequest(): JsonObject {
    return this.server.requests.at(-1) ?? {};
  }
}

export const USER: ModelMessage = { role: 'user', content: [{ type: 'text', text: 'Pay what is due.' }] };

const REQUEST: ModelRequest = {
  model: 'model-1',
  system: 'You pay invoices.',
  messages: [USER],
  tools: [
    {
      name: 'pay_invoice',
      description: 'Pays one invoice.',
      input_schema: {
        type: 'object',
        properties: { invoice: { type: 'string' }, cents: { type: 'integer' } },
        required: ['invoice', 'cents'],
        additionalProperties: false,
      },
    },
  ],
  serverTools: [],
  maxTokens: 1000,
  options: {},
};
