/**
 * How vendors and servers say that a conversation is longer than the model's window, and the figures that they give with it. Few have
 * a code for it, so their words count. A message that is not recognised fails the turn; one that is taken for this by mistake makes it
 * compact a conversation without need. So each pattern is as narrow as the published text.
 */

const TOO_LONG: readonly RegExp[] = [
  /prompt is too long|input length and `?max_tokens`? exceed context/i, // Anthropic, Fireworks
  /context_length_exceeded|exceeds? the (model's )?(maximum )?context|maximum context length is/i, // OpenAI, vLLM, DeepSeek, OpenRouter
  /input token count.{0,40} exceeds the maximum number of tokens/i, // Google
  /input token count is \d+ but (the )?model only supports/i, // Vertex AI
  /input is too long for (the )?requested model|input tokens exceeded|too many input tokens/i, // Bedrock
  /too large for model with \d+ maximum context length/i, // Mistral
  /maximum prompt length is \d+/i, // xAI
  /exceeds? the available context size|exceed_context_size_error/i, // llama.cpp
  /reduce the length of the (input )?messages/i, // Groq, Cerebras
  /longer than the (model's context length|maximum model length)/i, // SGLang, Together, vLLM
  /`inputs`( tokens \+ `max_new_tokens`)? must (be|have) (<=|less than) ?\d+/i, // TGI
  /(tokens to keep from the initial prompt|prompt) is (greater|longer) than the context length/i, // LM Studio
  /prompt too long; exceeded (max )?context length|input length exceeds (the )?(maximum )?context length/i, // Ollama
  /exceeds (the )?model'?s maximum context length/i, // LiteLLM
  /exceeded model token limit/i, // Moonshot
  /range of input length should be \[/i, // Qwen
  /context window exceeds limit/i, // MiniMax
  /prompt exceeds max length/i, // Z.ai
  /prompt token count of \d+ exceeds the limit of \d+|tokens_limit_reached/i, // GitHub
  /too many tokens: (total number of tokens|size limit exceeded)/i, // Cohere
];

/** A single request above what the vendor takes in a minute: however long one waits, it is refused (OpenAI, Groq). */
const TOO_LARGE_FOR_MINUTE = /request too large for .{0,200}tokens per min/i;

/** Whether an API's message says that the conversation is longer than the model's window. */
export function saysTooLong(message: string): boolean {
  return TOO_LONG.some((words) => words.test(message));
}

/** Statuses under which APIs say so; those that keep a model themselves have 500, too. */
const STATUSES: ReadonlySet<number> = new Set([400, 403, 422, 500]);

/** Whether another request of this length would be refused as well. */
export function isTooLong(status: number, message: string): boolean {
  return status === 429 ? TOO_LARGE_FOR_MINUTE.test(message) : STATUSES.has(status) && saysTooLong(message);
}

export interface LengthFigures {
  /** Tokens that were sent, and the size of the window; absent if the vendor did not report them. */
  sent?: number;
  window?: number;
}

const FIGURES: readonly RegExp[] = [
  /(?<sent>\d{1,12}) tokens > (?<window>\d{1,12})/, // Anthropic
  /exceed context limit: (?<sent>\d{1,12}) \+ \d{1,12} > (?<window>\d{1,12})/, // Anthropic, with the answer
  /maximum context length is (?<window>\d{1,12}) tokens.{0,60}?(?:resulted in|requested)(?: about)? (?<sent>\d{1,12}) tokens/, // OpenAI
  /input token count \(?(?<sent>\d{1,12})\)? exceeds the maximum number of tokens allowed \(?(?<window>\d{1,12})\)?/, // Google
  /input token count is (?<sent>\d{1,12}) but (?:the )?model only supports up to (?<window>\d{1,12})/, // Vertex AI
  /maximum prompt length is (?<window>\d{1,12}) but the request contains (?<sent>\d{1,12}) tokens/, // xAI
  /[Pp]rompt contains (?<sent>\d{1,12}) tokens.{0,40}too large for model with (?<window>\d{1,12})/, // Mistral
  /\((?<sent>\d{1,12}) tokens\) exceeds the available context size \((?<window>\d{1,12}) tokens\)/, // llama.cpp
  /input \((?<sent>\d{1,12}) tokens\) is longer than the model's context length \((?<window>\d{1,12}) tokens\)/, // SGLang
  /exceeded model token limit: ?(?<window>\d{1,12}) \(requested: ?(?<sent>\d{1,12})\)/, // Moonshot
  /prompt token count of (?<sent>\d{1,12}) exceeds the limit of (?<window>\d{1,12})/, // GitHub
  /n_keep: (?<sent>\d{1,12}) ?>= n_ctx: (?<window>\d{1,12})/, // LM Studio
];

/** Empty: the message has none, or in words that are not known. */
export function lengthFigures(message: string): LengthFigures {
  for (const words of FIGURES) {
    const { sent, window } = words.exec(message)?.groups ?? {};
    if (sent !== undefined) return { sent: Number(sent), window: Number(window) };
  }
  return {};
}
