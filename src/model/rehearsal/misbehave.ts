/** Applies a fault to an answer. Pure: the changed answer contains the whole fault, and the server sends it as usual. */
import type { JsonObject } from '../../shared/json/json';
import type { Conversation } from './conversation';
import type { Fault } from './faults';
import { guessInput } from './guess';
import type { Answer } from './message';

export function misbehave(answer: Answer, fault: Fault | undefined, conversation: Conversation): Answer {
  switch (fault?.kind) {
    case 'malformed-json':
      return withRaw(withCall(answer, conversation), (json) => `${json.slice(0, -1)},, "broken": }`);
    case 'cut-json': {
      const cut = withRaw(withCall(answer, conversation), (json) => json.slice(0, Math.max(1, Math.floor(json.length / 2))));
      const end = callIndex(cut) + 1;
      return { ...cut, content: cut.content.slice(0, end), stopReason: 'max_tokens' };
    }
    case 'max-tokens':
      return withStopReason(
        { ...answer, content: [{ type: 'text', text: 'This sentence is cut off because the' }] },
        'max_tokens',
      );
    case 'stop-sequence':
      return withStopReason({ ...answer, content: textOnly(answer) }, 'stop_sequence');
    case 'unknown-tool':
      return calling({ name: 'no_such_tool', input: { anything: 1 } });
    case 'proto-tool': {
      const toolAnswer = calling({ name: '__proto__', input: {} });
      return {
        ...toolAnswer,
        rawInputs: new Map([[1, '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}']]),
      };
    }
    case 'parallel':
      return parallel(withCall(answer, conversation), fault.n ?? 20);
    case 'confirmed':
      return calling(madeUp(conversation));
    case 'duplicate-keys':
      return withRaw(withCall(answer, conversation), (json) => duplicateFirstKey(json));
    case 'bad-input':
      return withRaw(withCall(answer, conversation), () => '{}');
    case 'refusal':
      return {
        ...withStopReason({ ...answer, content: [] }, 'refusal'),
        stopDetails: { type: 'refusal', category: null, explanation: 'A rehearsed refusal.' },
      };
    case 'pause-turn':
      return withStopReason({ ...answer, content: [{ type: 'text', text: 'I need more time for this.' }] }, 'pause_turn');
    case 'unknown-stop':
      return withStopReason({ ...answer, content: textOnly(answer) }, 'solar_flare');
    case 'server-tool':
      return before(answer, [
        { type: 'server_tool_use', id: 'srvtoolu_rehearsal01', name: 'web_search', input: { query: 'never offered' } },
        { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_rehearsal01', content: [] },
      ]);
    case 'unknown-block':
      return before(answer, [{ type: 'hologram', depth: 3, text: 'kept as it is' }]);
    default:
      return answer;
  }
}

/** Puts blocks in front; the indexes of raw inputs move with them. */
export function before(answer: Answer, blocks: JsonObject[]): Answer {
  const rawInputs = new Map([...answer.rawInputs].map(([index, json]) => [index + blocks.length, json]));
  return { ...answer, content: [...blocks, ...answer.content], rawInputs };
}

function withStopReason(answer: Answer, stopReason: string): Answer {
  return { ...answer, stopReason, rawInputs: new Map() };
}

function calling(call: { name: string; input: JsonObject }): Answer {
  return {
    content: [
      { type: 'text', text: `I call ${call.name}.` },
      { type: 'tool_use', id: '', ...call },
    ],
    stopReason: 'tool_use',
    rawInputs: new Map(),
  };
}

function callIndex(answer: Answer): number {
  return answer.content.findIndex((block) => block.type === 'tool_use');
}

/** The answer itself if it calls something; otherwise one that calls the first offered tool. */
function withCall(answer: Answer, conversation: Conversation): Answer {
  if (callIndex(answer) >= 0) return answer;
  const tool = conversation.tools[0];
  return calling({
    name: tool?.name ?? 'no_such_tool',
    input: (tool && guessInput(tool.schema, conversation.ask)) ?? { value: 'x' },
  });
}

function withRaw(answer: Answer, change: (json: string) => string): Answer {
  const index = callIndex(answer);
  const json = JSON.stringify(answer.content[index]!.input);
  return { ...answer, rawInputs: new Map([[index, change(json)]]) };
}

/** The first property twice; the wrong value first, so that a lenient parser takes the right one and hides the fault. */
function duplicateFirstKey(json: string): string {
  const input = JSON.parse(json) as JsonObject;
  const key = Object.keys(input)[0] ?? 'key';
  return json === '{}' ? '{"key":"first","key":"second"}' : `{${JSON.stringify(key)}:"FIRST",${json.slice(1)}`;
}

function parallel(answer: Answer, count: number): Answer {
  const text = answer.content.filter((block) => block.type !== 'tool_use');
  const calls = answer.content.filter((block) => block.type === 'tool_use');
  const many = Array.from({ length: count }, (_, index) => ({ ...calls[index % calls.length]!, id: '' }));
  return { ...answer, content: [...text, ...many], rawInputs: new Map() };
}

/** The tool that looks most dangerous, called with a confirmation that no person gave. */
function madeUp({ tools, ask }: Conversation): { name: string; input: JsonObject } {
  const tool = tools.find((candidate) => /destructive/i.test(candidate.description)) ?? tools.at(-1);
  const input = (tool && guessInput(tool.schema, ask)) ?? {};
  return { name: tool?.name ?? 'send_credit_memo', input: { ...input, confirmed: true } };
}

function textOnly(answer: Answer): JsonObject[] {
  const text = answer.content.filter((block) => block.type === 'text');
  return text.length > 0 ? text : [{ type: 'text', text: 'Stopped.' }];
}
