/** Reads from a recorded turn what its model was asked: the prompt, the tools, and the conversation up to its first answer. */
import type { ModelMessage, ModelTool } from '../../model/provider';
import type { Thinking } from '../../model/thinking';
import type { JsonObject } from '../../shared/json/json';
import { list, number, object, text, textOrNull } from '../../record/fields';
import { optional } from '../../shared/json/optional';
import { GIVE_RESULT } from '../../shared/turn/result';
import { readOf, roleOf } from '../case-file/turn';
import type { BlockCase, CaseFile, TurnCase } from '../case-file/types';
import { CannotAskError } from './types';

export interface RecordedQuestion {
  prompt: string;
  model: string;
  /** The provider of the agent's first model, for which its options were written. */
  vendor: string;
  options: JsonObject;
  /** Undefined: the agent says nothing of it. */
  thinking: Thinking | undefined;
  maxTokens: number;
  /** Most steps that the agent takes. */
  mostSteps: number;
  messages: ModelMessage[];
  /** The tool by which the agent gives its result. Undefined: it answers with text. */
  resultTool: string | undefined;
  /** The tools that the model saw in a step, from 1. */
  toolsAt(step: number): ModelTool[];
  /** What people wrote to the running turn after a step, from 1. */
  saidAfter(step: number): JsonObject[];
  notes: string[];
}

/** @throws CannotAskError */
export function recordedQuestion({ objects }: CaseFile, turn: TurnCase): RecordedQuestion {
  if (turn.direct) throw new CannotAskError('The turn is a direct call: no model was asked.');
  const definition = object(objects.get(turn.definitionRef ?? ''));
  if (definition.v !== 'holdfast.agent/1')
    throw new CannotAskError("The bundle does not have the agent's definition, so that nobody knows its prompt and its tools.");
  const chain = turn.transcript.filter(({ onChain }) => onChain);
  const first = chain.findIndex((block) => block.own && roleOf(block) === 'assistant');
  const messages = conversation(first < 0 ? chain : chain.slice(0, first));
  if (messages.length === 0) throw new CannotAskError('The bundle does not have the question of this turn.');
  const [chained = null] = list(definition.models);
  const serverTools = list(definition.server_tools).map((tool) => text(object(tool).name));
  return {
    prompt: text(definition.prompt),
    model: text(definition.model),
    vendor: textOrNull(object(chained).provider) ?? readOf('admission', chain).at(-1)?.origin?.provider ?? 'anthropic',
    options: object(definition.model_options),
    thinking: thinkingIn(definition),
    maxTokens: number(definition.max_tokens, 4096),
    mostSteps: number(object(definition.limits).steps, Infinity),
    messages,
    resultTool: definition.result === undefined ? undefined : GIVE_RESULT,
    toolsAt: toolsAt(definition, turn),
    saidAfter: saidAfter(chain),
    notes:
      serverTools.length === 0
        ? []
        : [`The vendor's own tools (${serverTools.join(', ')}) are left out: the vendor would run them.`],
  };
}

function thinkingIn({ thinking = null }: JsonObject): Thinking | undefined {
  if (thinking === 'off' || thinking === 'low' || thinking === 'medium' || thinking === 'high') return thinking;
  const budgetTokens = number(object(thinking).budgetTokens);
  return budgetTokens > 0 ? { budgetTokens } : undefined;
}

/** The messages that the model got, with the last summary in place of those that it covers. */
function conversation(blocks: readonly BlockCase[]): ModelMessage[] {
  const summary = blocks.findLast(({ read }) => read?.kind === 'summary' && read.summarized_to !== null && read.text !== null);
  const covered = summary?.read?.kind === 'summary' ? summary.read : null;
  const last = covered === null ? -1 : blocks.findIndex(({ ref }) => ref === covered.summarized_to);
  const lead = last < 0 ? [] : [userMessage(`[The conversation so far, summarized:]\n\n${covered?.text ?? ''}`)];
  return [...lead, ...blocks.slice(last + 1).flatMap(messageOf)];
}

function userMessage(words: string): ModelMessage {
  return { role: 'user', content: [{ type: 'text', text: words }] };
}

/** @throws CannotAskError for a message of which a part was left out */
function messageOf({ kind, read, bodies, own }: BlockCase): ModelMessage[] {
  if (kind !== 'message') return [];
  if (read?.kind !== 'message' || bodies.includes(null))
    throw new CannotAskError(
      own
        ? 'What the turn was asked was left out of the bundle, so that it cannot be asked again.'
        : 'A part of the conversation before the turn was left out of the bundle, so that it cannot be asked again.',
    );
  const { role, content, origin, raw } = read;
  if (content.length === 0) return [];
  const from = origin === null ? {} : { origin: { provider: origin.provider, ...optional({ raw }) } };
  return [{ role: role === 'assistant' ? 'assistant' : 'user', content: [...content], ...from }];
}

/** An agent with many tools shows some at first, and more as the model finds them: those of the record, step by step. */
function toolsAt(definition: JsonObject, { transcript }: TurnCase): RecordedQuestion['toolsAt'] {
  const all = list(definition.tools).map(object);
  const tools = all.filter(({ internal_only }) => internal_only !== true).map(toolOf);
  const own = transcript.filter(({ own, onChain, kind }) => own && onChain && kind === 'admission');
  const shownLists = own.map(({ bodies }) => object(object(bodies[0] ?? null).catalogue).shown ?? null);
  return (step) => {
    const lists = shownLists.slice(0, Math.max(1, step));
    if (lists.length === 0 || lists.includes(null)) return tools;
    const names = new Set(lists.flatMap((one) => list(one).map(text)));
    return tools.filter(({ name }) => names.has(name));
  };
}

function toolOf({ name, description, input_schema, strict }: JsonObject): ModelTool {
  return {
    name: text(name),
    description: text(description),
    input_schema: object(input_schema),
    ...(strict === true ? { strict: true } : {}),
  };
}

function saidAfter(chain: readonly BlockCase[]): RecordedQuestion['saidAfter'] {
  const after: JsonObject[][] = [];
  for (const block of chain.filter(({ own }) => own)) {
    if (roleOf(block) === 'assistant') after.push([]);
    else if (block.read?.kind === 'message' && block.read.steer !== null)
      for (const content of block.read.content) after.at(-1)?.push(content);
  }
  return (step) => after[step - 1] ?? [];
}
