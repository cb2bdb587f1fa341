/**
 * Takes one step: appends what came before, makes one model request, and admits the calls that the model proposes.
 * Blocks do not depend on the attempt, so a retry repeats the model request and nothing else.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { ModelOrigin, PassedModel, TakeStepInput, TakeStepOutput, TurnPolicy } from '../../shared/io/activities';
import type { JsonObject } from '../../shared/json/json';
import type { ChainAnswer } from '../../model/fallback';
import type { LengthFigures } from '../../model/context/too-long';
import { NO_TOKENS } from '../../model/prices';
import { withResultCall } from '../../model/prompted/native-result';
import { isTruncated, type ModelResponse, type ModelUsage } from '../../model/provider';
import { GIVE_RESULT } from '../../shared/turn/result';
import { NO_USAGE } from '../../shared/turn/turn-view';
import { Draft } from '../../store/core/transcript';
import { checkAhead } from '../../tools/admit/admit';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { catalogueTokens } from '../../tools/define/model-text';
import { admitAll, admittedCall, storeCalls } from '../admission/admit-calls';
import {
  answerText,
  storableContent,
  storableRaw,
  toolUses,
  unlistedServerTools,
  containerOf,
  type AskedIds,
  withUniqueIds,
} from './model-content';
import { addBeginning } from './turn-start-and-end';
import { messagesForModel, totalTokens, asTooLong, canMakeRoom, repeatAnswerText, saysFull, PROMPT_TOO_LONG } from './compaction';
import { addOutcomes, messagesOf, earlierSpeakers } from './conversation';
import type { Dependencies } from '../ports';
import { agentSince, beginningAgent, type PreparedStart } from './mcp-tools';
import { startFaultIn } from '../checks/start';
import { beginOver, checkOwnTurn, checkParentRuns, leaveToOthers } from '../checks/own-turn';
import type { ModelRequest } from '../../record/blocks';
import { turnSubject } from '../../record/subject';
import { admissionBlock, answerBlock, endBlock, messageBlock, steerBlock } from '../../record/write-block';
import { hasReadUntrusted } from '../admission/outside-text';
import { optional } from '../../shared/json/optional';
import { askModel, liveText, originOf, usageOf } from './ask-model';

export async function takeStep(deps: Dependencies, input: TakeStepInput): Promise<TakeStepOutput> {
  const began = Date.now();
  await checkOwnTurn(deps, input.turn);
  await checkParentRuns(deps, input.turn);
  const preparedStart = await agentFor(deps, input);
  if (!preparedStart) {
    // The first step of a turn that a person has started tells at once that the name of its agent is wrong.
    if (input.message === null || input.turn.parent !== undefined) leaveToOthers(input.turn);
    throw unknownAgent(input.turn.agent, deps.registry.names());
  }
  const { agent } = preparedStart;

  const definition_ref = await deps.archive.agent(agent);
  const scope = input.turn.first_execution_run_id;
  const { at } = input;
  // Set from the first step on: a turn that began before digests of version 2 continues without a store id.
  const turn = input.message === null ? input.turn : { ...input.turn, store_id: await beginOver(deps, input.turn) };
  const said_before = input.message === null ? [] : await earlierSpeakers(deps.store, input.head, turn.requester);
  const draft = new Draft(deps.store, scope, input.head);
  await addBefore(deps, draft, preparedStart, { ...input, turn });
  // Steer messages follow the results: the API requires the results of calls first.
  for (const steer of input.steers ?? []) draft.add(steerBlock(steer), at);
  let blocks = await draft.whole();
  const notBegun = startFaultIn(blocks, turn);
  if (notBegun !== null) throw ApplicationFailure.nonRetryable(`No step was taken: ${notBegun}.`, 'holdfast.not_begun');
  const goOn = repeatAnswerText(blocks, messagesOf(blocks).at(-1));
  if (goOn !== null) {
    draft.add(messageBlock('user', [{ type: 'text', text: goOn }]), at);
    blocks = await draft.whole();
  }
  // Uses all messages: what was read, and which tools were found, still counts after compaction.
  const all = messagesOf(blocks);
  const messages = messagesForModel(blocks);
  const tools = agent.choice.shown(all, agent.catalogue);
  const container = containerOf(blocks, agent);
  const asker = { turn: input.turn, what: `step ${input.step}`, step: input.step };
  const resultTool = agent.agent.result === undefined ? {} : { resultTool: GIVE_RESULT };
  const canShorten = (tokens: number) => canMakeRoom(blocks, agent, tokens);
  const parts = { messages, tools, container, asker, canShorten, ...resultTool };
  const answer = await askModel(deps, agent, parts, liveText(deps, input)).catch(asTooLong);
  const shownAs = {
    shown: tools.length < agent.catalogue.length ? tools.map(({ name }) => name) : null,
    tokens: catalogueTokens(tools),
  };
  const about = { catalogue: shownAs, definition_ref, subject: turnSubject(input.turn) };
  const first = {
    ...(input.message !== null && turn.store_id !== undefined ? { store_id: turn.store_id } : {}),
    ...(said_before.length > 0 ? { said_before } : {}),
  };
  if (!('response' in answer)) {
    const [asked] = deps.models.chainOf(agent);
    draft.add(admissionBlock({ ...refusedRequest(asked?.name ?? '', answer), ...about }, []), at);
    return {
      head: await draft.store(),
      policy: policyOf(agent),
      next: 'full',
      stop_reason: PROMPT_TOO_LONG,
      text: '',
      calls: [],
      took_ms: Date.now() - began,
      usage: { ...NO_USAGE },
      context_full: true,
      ...first,
    };
  }
  const whole = agent.agent.result === undefined ? answer.response : withResultCall(answer.response);
  const { response, askedIds } = withUniqueIds(whole, all, input.step);
  const by = takenBy(answer);
  const unlistedTools = unlistedServerTools(response, agent.agent.serverTools);
  if (unlistedTools.length > 0) throw unlistedServerTool(unlistedTools);

  draft.add(answerBlock(storableContent(response), by.origin, storableRaw(response)), at);
  const hasUntrusted =
    input.turn.parent?.untrusted === true ||
    (await hasReadUntrusted(deps.store, { agent, definition_ref }, blocks, response.content));
  const facts = { untrusted: hasUntrusted, shownTools: new Set(tools.map(({ name }) => name)) };
  const proposals = toolUses(response).map(({ name, json }) => ({ name, json, cut: isTruncated(response.stopReason) }));
  await checkAhead(agent, proposals, input.turn.requester);
  const calls = await admitAll(deps, agent, input, response, { ...facts, askedIds });
  const bodies = calls.map((call) => call.body);
  const admission = draft.add(admissionBlock({ ...answeredRequest(response, askedIds), ...by, ...about }, bodies), at);
  const admittedCalls = calls.map((call, index) => {
    const inputRef = admission.block.parts[index + 1]!;
    return admittedCall({ agent, definition_ref }, turn, call, { inputRef, untrusted: hasUntrusted });
  });
  const next = nextOf(response, calls.length);
  const answerHead = draft.head!;
  if (next === 'end') draft.add(endBlock({ state: input.all_refused ? 'refused' : 'completed', reason: null }), at);
  const pairs = calls.map((proposal, index) => ({ proposal, call: admittedCalls[index]! }));
  const [head] = await Promise.all([draft.store(), storeCalls(deps.store, turn, pairs)]);
  return {
    head,
    ...(next === 'end' ? { answer_head: answerHead } : {}),
    policy: policyOf(agent),
    next,
    stop_reason: response.stopReason,
    text: answerText(response),
    calls: admittedCalls,
    took_ms: Date.now() - began - answer.waitedMs,
    usage: usageOf(deps, agent, answer),
    ...by,
    ...(isFull(agent, response) ? { context_full: true } : {}),
    ...first,
  };
}

/** The agent, with the MCP tools that the turn has had since it began. */
async function agentFor(deps: Dependencies, { turn, message, head }: TakeStepInput): Promise<PreparedStart | undefined> {
  if (message !== null) return beginningAgent(deps, turn);
  const agent = await agentSince(deps, turn, head);
  return agent && { agent, outside: null };
}

/** Adds what came before this step: start and user message, or the results of the last step. */
async function addBefore(deps: Dependencies, draft: Draft, preparedStart: PreparedStart, input: TakeStepInput): Promise<void> {
  const { turn, at, message, attestation } = input;
  if (message === null) return addOutcomes(deps.store, draft, turn, at, input.outcomes);
  const signature = attestation === undefined ? {} : { attestation };
  await addBeginning(deps, { draft, parent: input.head, at }, preparedStart, { turn, message, ...signature });
}

/** Whether the next request would come near the context window, or beyond it. */
function isFull({ agent }: PreparedAgent, { usage, stopReason }: ModelResponse): boolean {
  return saysFull(stopReason) || totalTokens(usageToJson(usage)) >= agent.compactAt * agent.contextWindow;
}

/** Who took the step, and who did not. */
function takenBy(answer: ChainAnswer): { origin: ModelOrigin; passed?: PassedModel[] } {
  const { passed } = answer;
  return { origin: originOf(answer), ...(passed.length === 0 ? {} : { passed }) };
}

/** The facts of a model request, except those that the step adds. */
type RequestFacts = Omit<ModelRequest, 'catalogue' | 'definition_ref' | 'subject'>;

function answeredRequest(response: ModelResponse, askedIds: AskedIds): RequestFacts {
  return {
    message_id: response.id,
    request_id: response.requestId,
    model: response.model,
    stop_reason: response.stopReason,
    usage: usageToJson(response.usage),
    ...(response.container ? { container: { ...response.container } } : {}),
    server_tools: response.content.flatMap((block, position): JsonObject[] => {
      if (block.type !== 'server_tool_use') return [];
      const use = { name: block.name ?? null, id: block.id ?? null };
      const askedId = askedIds.get(position);
      return [askedId === undefined ? use : { ...use, asked_id: askedId }];
    }),
  };
}

/** The facts of a request that was refused because it was too long. */
function refusedRequest(model: string, { sent, window }: LengthFigures): RequestFacts {
  const usage: JsonObject = { ...NO_TOKENS, ...optional({ context_tokens: sent }) };
  const windowFacts = window === undefined ? {} : { context_window: window };
  return { message_id: null, request_id: null, model, stop_reason: PROMPT_TOO_LONG, usage, ...windowFacts, server_tools: [] };
}

function usageToJson({ billed, ...usage }: ModelUsage): JsonObject {
  return { ...usage, ...(billed ? { billed: billed.map((part) => ({ ...part })) } : {}) };
}

function nextOf(response: ModelResponse, calls: number): TakeStepOutput['next'] {
  if (response.stopReason === 'refusal') return 'refusal';
  if (calls > 0) return 'calls';
  if (response.stopReason === 'pause_turn') return 'continue';
  if (saysFull(response.stopReason)) return 'full';
  return response.stopReason === 'max_tokens' ? 'cut' : 'end';
}

export function policyOf({ agent, policyRef }: PreparedAgent): TurnPolicy {
  const { steps, tokens, costUsd: cost_usd, timeMs: time_ms } = agent.limits;
  return {
    policy_ref: policyRef,
    limits: { steps, tokens, cost_usd, time_ms },
    max_parallel: agent.maxParallel,
    sibling_abort: agent.siblingAbort,
    approval_expiry_ms: agent.approvalExpiryMs,
    ...(agent.steerSupersedes ? { steer_supersedes: true } : {}),
  };
}

export function unknownAgent(name: string, names: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `This worker has no agent ${JSON.stringify(name)}; it serves: ${names.join(', ') || 'none'}.`,
    'holdfast.unknown_agent',
  );
}

function unlistedServerTool(names: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The model's answer used server-side tools that the agent does not list: ${names.join(', ').slice(0, 200)}. They bypass admission; list them in the agent's serverTools if they are wanted.`,
    'holdfast.unlisted_server_tool',
  );
}
