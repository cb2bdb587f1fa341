/** Script mode: returns answers that a test wrote beforehand, in the order of requests. */
import type { JsonObject } from '../../shared/json/json';
import type { Answer } from './message';

export interface ScriptedResponse {
  /** Content blocks. A tool_use needs no id; `raw` on it is streamed as its input's text, whatever it contains. */
  content: JsonObject[];
  /** Default: `tool_use` when there is a tool_use block, else `end_turn`. */
  stop_reason?: string;
  /** The container in which the vendor ran code. */
  container?: JsonObject;
  /** The figures at the end of the stream; those at its beginning are computed. */
  usage?: JsonObject;
}

/** A response, or a function that makes it from the request's body. */
export type ScriptLine = ScriptedResponse | ((body: JsonObject) => ScriptedResponse);

export class Script {
  private position = 0;

  constructor(private readonly lines: readonly ScriptLine[]) {}

  /** The next answer; past the end, the error for the test. Never an answer that is not in the script. */
  next(body: JsonObject): Answer | { exhausted: string } {
    const line = this.lines[this.position++];
    if (line === undefined) {
      return {
        exhausted: `the rehearsal's script is exhausted: this is request ${this.position}, it has ${this.lines.length} responses`,
      };
    }
    return toAnswer(typeof line === 'function' ? line(body) : line);
  }
}

function toAnswer(response: ScriptedResponse): Answer {
  const rawInputs = new Map<number, string>();
  const content = response.content.map((block, index): JsonObject => {
    if (block.type !== 'tool_use') return block;
    const { raw, ...rest } = block;
    if (typeof raw === 'string') rawInputs.set(index, raw);
    return { id: '', input: {}, ...rest };
  });
  const calls = content.some((block) => block.type === 'tool_use');
  const { container, usage } = response;
  const extras = { ...(container ? { container } : {}), ...(usage ? { usage } : {}) };
  return { content, stopReason: response.stop_reason ?? (calls ? 'tool_use' : 'end_turn'), rawInputs, ...extras };
}
