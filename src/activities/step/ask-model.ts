/**
 * Asks an agent's models for an answer: builds the request as each of them gets it, passes the text on while it is written, and counts
 * what the answer cost.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { systemPrompt } from '../../agents/agent';
import { countedModel } from '../../model/context/tokens';
import { askChain, mostRequests, type ChainAnswer, type ChainLink } from '../../model/fallback';
import { isModelBusy } from '../../model/limits/limited-model';
import { costUsd } from '../../model/prices';
import { thinkingOf } from '../../model/settings';
import { isModelFailure, type ModelFailure, type ModelMessage, type ModelRequest, type ModelTool } from '../../model/provider';
import type { ModelOrigin, TakeStepInput, TakeStepOutput } from '../../shared/io/activities';
import { optional } from '../../shared/json/optional';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { showingCharacters } from '../call/heartbeat';
import type { Dependencies } from '../ports';
import { messagesWithFiles } from '../../files/conversation-files';
import { asWaiting, withinLimits, type ModelAsker } from './model-limits';

export interface ModelRequestParts {
  messages: ModelMessage[];
  tools: ModelTool[];
  /** Null: there is none. */
  container: OwnedContainer | null;
  /** Whether the agent's options may make the model call a tool. Default true. */
  mayForceTools?: boolean;
  /** The tool through which the model gives its result. Absent: the answer is to be text. */
  resultTool?: string;
  asker: ModelAsker;
  /** Whether so many tokens, which are more than the agent's window, can become fewer by compaction. Absent: they cannot. */
  canShorten?: (tokens: number) => boolean;
}

export interface ModelAnswer extends ChainAnswer {
  /** How long it waited for room within the limits of its model, ms. */
  waitedMs: number;
}

/** A container at the vendor's, which means something to that provider only. */
export interface OwnedContainer {
  id: string;
  provider: string;
}

/** @throws ApplicationFailure of the last model that was asked; MODEL_WAITS if there is no room for the request yet */
export async function askModel(
  deps: Dependencies,
  preparedAgent: PreparedAgent,
  parts: ModelRequestParts,
  showText: ShowText,
): Promise<ModelAnswer> {
  const links = deps.models.chainOf(preparedAgent);
  const limited = withinLimits(deps, links, parts.asker);
  const chain = limited.chain.map((link, index) => withCount(deps, link, links[index]!, preparedAgent, parts));
  const messages = await messagesWithFiles(deps, parts.messages);
  const requestOf = (link: ChainLink) => requestFor(link, chain[0]!, preparedAgent, { ...parts, messages });
  const { info, cancellationSignal: signal } = Context.current();
  let requests = (info.attempt - 1) * mostRequests(chain.length);
  const beginAnswer = () => showText((requests += 1));
  try {
    const answer = await askChain(chain, { requestOf, beginAnswer, signal }, deps.models.circuits);
    return { ...answer, waitedMs: limited.waitedMs() };
  } catch (error) {
    if (isModelBusy(error)) throw asWaiting(deps, error);
    if (!isModelFailure(error)) throw error;
    if (error.facts.retryable) limited.showFailure();
    throw asApplicationFailure(error);
  }
}

/** The model, which counts large requests before they take a place within its limits. */
function withCount(
  { models: { counter } }: Dependencies,
  link: ChainLink,
  { provider: by, settings: { limits } }: ChainLink,
  { agent: { contextWindow: window } }: PreparedAgent,
  { canShorten = () => false }: ModelRequestParts,
): ChainLink {
  const terms = { counter, by, window, ...optional({ tokensPerMinute: limits?.tokensPerMinute }), canShorten };
  return { ...link, provider: countedModel(link.provider, terms) };
}

/**
 * The request as one model gets it. An agent writes its options and the vendor's own tools for the first of its models: other
 * vendors' APIs would refuse them.
 */
function requestFor(
  { provider, model, settings }: ChainLink,
  first: ChainLink,
  { agent }: PreparedAgent,
  { messages, tools, container, mayForceTools = true, resultTool }: ModelRequestParts,
): ModelRequest {
  const isFirstVendor = provider.name === first.provider.name;
  const options = { ...(isFirstVendor ? agent.modelOptions : {}), ...settings.options };
  const free = mayForceTools || options.tool_choice === undefined ? options : { ...options, tool_choice: { type: 'none' } };
  return {
    model,
    system: systemPrompt(agent),
    messages,
    tools,
    serverTools: isFirstVendor ? agent.serverTools : [],
    maxTokens: agent.maxTokens,
    options: free,
    ...optional({ thinking: thinkingOf(agent, settings) }),
    ...(container?.provider === provider.name ? { container: container.id } : {}),
    ...optional({ resultTool }),
  };
}

function asApplicationFailure({ message, facts }: ModelFailure): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: facts.type,
    nonRetryable: !facts.retryable,
    ...optional({ nextRetryDelay: facts.retryAfterMs }),
  });
}

/** Which model took a step: its name, and the provider that answered. */
export function originOf({ link }: ChainAnswer): ModelOrigin {
  return { provider: link.provider.name, model: link.name };
}

/** Begins the text of one request. @param request counts the requests of the step, from 1 */
export type ShowText = (request: number) => (text: string) => void;

/** Publishes the model's text while it is generated; it is not stored. The heartbeat carries the number of characters. */
export function liveText({ live }: Dependencies, { turn, step }: TakeStepInput): ShowText {
  const show = showingCharacters();
  return (attempt) => {
    let offset = 0;
    return (text) => {
      live.publish(turn.turn_id, { at: new Date().toISOString(), type: 'text_delta', step, attempt, offset, text });
      offset += text.length;
      show(text);
    };
  };
}

export function usageOf(deps: Dependencies, { models }: PreparedAgent, { response, link }: ChainAnswer): TakeStepOutput['usage'] {
  const { model, usage } = response;
  const { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens } = usage;
  const cost = costUsd({ asked: link.name, id: link.model, answered: model }, usage, models);
  if (!cost.priced && !deps.unpriced.has(link.name) && !deps.unpriced.has(model)) {
    deps.unpriced.add(model);
    deps.log.warn({ model }, 'no price is known for this model: its cost is unknown, and a cost limit does not bind');
  }
  const unpriced = cost.priced ? {} : { unpriced_tokens: cost.unpricedTokens };
  deps.modelMetrics.used(link.name, { input_tokens, output_tokens, cost_usd: cost.usd });
  return { input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens, cost_usd: cost.usd, ...unpriced };
}
