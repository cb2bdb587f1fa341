/**
 * Plays any toolset that no other player knows: calls every tool whose input it can fill, once, all in one step; reads results that
 * were too large; and reports the results in their own words.
 */
import type { Json } from '../../shared/json/json';
import type { Conversation } from './conversation';
import { guessInput } from './guess';
import { Ledger, type Play, type WantedCall } from './call-ledger';
import type { ToolResult } from './tool-result';

/** Longest quotation of one result, characters. */
const MAX_QUOTE = 600;

export function improvise(conversation: Conversation): Play {
  const ledger = new Ledger(conversation);
  if (conversation.calls.length === 0) {
    const calls = firstCalls(conversation);
    if (calls.length > 0) return { text: `Rehearsal: I call ${calls.map((call) => call.name).join(', ')} once.`, calls };
    return { text: plainAnswer(conversation), calls: [] };
  }
  const pastCalls = conversation.calls.filter((call) => call.name !== 'read_result');
  const pages = ledger.missing(pastCalls);
  if (pages.length > 0) return { text: 'The result is long; I read it.', calls: pages };
  const lines = pastCalls.map((call) => `- ${call.name}: ${report(ledger.outcome(call))}`);
  return { text: `This is a rehearsal, not a model. What happened:\n${lines.join('\n')}`, calls: [] };
}

function firstCalls({ tools, ask }: Conversation): WantedCall[] {
  return tools.flatMap((tool): WantedCall[] => {
    if (tool.name === 'read_result') return [];
    const input = guessInput(tool.schema, ask);
    return input === undefined ? [] : [{ name: tool.name, input }];
  });
}

function plainAnswer({ ask, tools }: Conversation): string {
  const none = tools.length === 0 ? 'No tools are offered' : 'None of the offered tools can be filled in from this message';
  return `This is a rehearsal, not a model. ${none}. You wrote: "${cut(ask.trim())}"`;
}

function report(result: ToolResult): string {
  if (result.ok) return `succeeded with ${quote(result.data)}`;
  const { kind, message, hint } = result.error;
  return `did not succeed. ${kind}: ${message}${hint ? ` (${hint})` : ''}`;
}

function quote(data: Json): string {
  return cut(typeof data === 'string' ? data : JSON.stringify(data));
}

function cut(text: string): string {
  return text.length <= MAX_QUOTE ? text : `${text.slice(0, MAX_QUOTE)}…`;
}
