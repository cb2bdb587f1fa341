/**
 * One step: what came before is appended, the model is asked once, and what it asks for is admitted.
 * Blocks are the same whatever the attempt, so a retry repeats the model request and nothing else.
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { systemPrompt } from '../agents/system-prompt';
import { INLINE_BYTES, type AdmittedCall, type TakeStepInput, type TakeStepOutput, type TurnPolicy } from '../shared/activity-io';
import { canonical } from '../shared/canonical';
import { callDigest, hashJson } from '../shared/digests';
import { callId } from '../shared/ids';
import type { Json, JsonObject } from '../shared/json';
import { CLASS_RULES } from '../shared/tool-class';
import { costUsd } from '../model/prices';
import type { ModelFailure, ModelMessage, ModelResponse } from '../model/provider';
import type { Store } from '../store/store';
import { Draft } from '../store/transcript';
import { admit, refuseExcess, type StaticAdmission } from '../tools/admit';
import type { PreparedAgent } from '../tools/registry';
import { answerText, storableContent, toolUses, unlistedServerTools, type ToolUse } from './content';
import { addOutcomes, messageBodies, messagesOf } from './conversation';
import type { Dependencies } from './dependencies';
import { withPulse } from './pulse';

export async function takeStep(deps: Dependencies, input: TakeStepInput): Promise<TakeStepOutput> {
  const began = Date.now();
  const agent = deps.registry.agent(input.turn.agent);
  if (!agent) throw unknownAgent(input.turn.agent, deps.registry.names());

  const scope = input.turn.first_execution_run_id;
  const { at } = input;
  const draft = new Draft(deps.store, scope, input.head);
  await addBefore(deps, draft, agent, input);
  const messages = messagesOf(await draft.whole());
  const response = await withPulse((show) => request(deps, agent, messages, show));
  const unlisted = unlistedServerTools(response, agent.agent.serverTools);
  if (unlisted.length > 0) throw unlistedServerTool(unlisted);

  draft.add('message', at, messageBodies('assistant', storableContent(response)));
  const calls = admitAll(agent, input, response);
  const admission = draft.add('admission', at, [admissionHeader(response), ...calls.map((call) => call.body)]);
  const admitted = calls.map((call, index) => admittedCall(agent, input, call, admission.block.parts[index + 1]!));
  const next = nextOf(response, calls.length);
  if (next === 'end') draft.add('end', at, [{ state: input.all_refused ? 'refused' : 'completed', reason: null }]);
  const [head] = await Promise.all([draft.store(), storeLargeInputs(deps.store, scope, calls)]);
  return {
    head,
    policy: policyOf(agent),
    next,
    stop_reason: response.stopReason,
    text: answerText(response),
    calls: admitted,
    took_ms: Date.now() - began,
    usage: usageOf(deps, response),
  };
}

/** What came before this step: start and user message, or the results of the last step. */
async function addBefore({ store }: Dependencies, draft: Draft, agent: PreparedAgent, input: TakeStepInput): Promise<void> {
  const { turn, at, message } = input;
  if (message === null) return addOutcomes(store, draft, at, input.outcomes);
  const start: Json = {
    ...turn,
    agent: {
      name: turn.agent,
      prompt_hash: hashJson(systemPrompt(agent.agent)),
      tools: [...agent.tools.values()].map(({ tool }) => `${tool.name}@${tool.version}`),
    },
    policy_ref: agent.policyRef,
    message_hash: hashJson(message),
  };
  draft.add('start', at, [start]);
  draft.add('message', at, messageBodies('user', [{ type: 'text', text: message }]));
}

async function request(
  deps: Dependencies,
  agent: PreparedAgent,
  messages: ModelMessage[],
  show: (details: JsonObject) => void,
): Promise<ModelResponse> {
  const { agent: definition } = agent;
  let characters = 0;
  try {
    return await deps.model.request(
      {
        model: definition.model ?? deps.defaultModel,
        system: systemPrompt(definition),
        messages,
        tools: agent.catalogue,
        serverTools: definition.serverTools,
        maxTokens: definition.maxTokens,
        options: definition.modelOptions,
      },
      {
        signal: Context.current().cancellationSignal,
        onText: (delta) => show({ characters: (characters += delta.length) }),
      },
    );
  } catch (error) {
    throw isModelFailure(error) ? asApplicationFailure(error) : error;
  }
}

function isModelFailure(error: unknown): error is ModelFailure {
  return error instanceof Error && error.name === 'ModelFailure';
}

function asApplicationFailure({ message, facts }: ModelFailure): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    type: facts.type,
    nonRetryable: !facts.retryable,
    ...(facts.retryAfterMs === undefined ? {} : { nextRetryDelay: facts.retryAfterMs }),
  });
}

/** Calls that one answer may ask for. What crosses into history has to stay far below 2 MB. */
const MAX_CALLS = 64;
const INLINE_BUDGET = 64_000;

interface AskedCall {
  id: string;
  use: ToolUse;
  admission: StaticAdmission;
  /** Whether the effective input travels beside its reference. */
  inline: boolean;
  /** The part of the admission block. */
  body: JsonObject;
}

function admitAll(agent: PreparedAgent, input: TakeStepInput, response: ModelResponse): AskedCall[] {
  const cut = response.stopReason === 'max_tokens';
  let budget = INLINE_BUDGET;
  return toolUses(response).map((use, index) => {
    const id = callId(input.step, index + 1);
    const asked = { name: use.name, json: use.json, cut };
    const admission = index < MAX_CALLS ? admit(agent, asked) : refuseExcess(agent, asked, MAX_CALLS);
    const bytes = Buffer.byteLength(canonical(admission.input));
    const inline = bytes <= INLINE_BYTES && bytes <= budget;
    if (inline) budget -= bytes;
    return { id, use, admission, inline, body: admissionBody(id, use, admission) };
  });
}

/** An input that does not travel is read by reference: its part has to be found by itself. */
async function storeLargeInputs(store: Store, scope: string, calls: AskedCall[]): Promise<void> {
  const large = calls.filter((call) => !call.inline && call.admission.verdict !== 'rejected');
  await Promise.all(large.map((call) => store.putPart(scope, call.body)));
}

function admissionBody(id: string, use: ToolUse, admission: StaticAdmission): JsonObject {
  const { tool, version, verdict, reason, error, input } = admission;
  return {
    call_id: id,
    tool_use_id: use.id.toWellFormed(),
    tool,
    version,
    class: admission.class,
    verdict,
    reason,
    error: error as unknown as Json,
    input,
    asked: use.json.toWellFormed(),
  };
}

function admittedCall(
  agent: PreparedAgent,
  { turn }: TakeStepInput,
  { id, use, admission, inline }: AskedCall,
  inputRef: string,
): AdmittedCall {
  const { tool, version, verdict, input_hash } = admission;
  const definition = agent.tools.get(tool)?.tool;
  const needsAdmit = verdict === 'ask' || (verdict === 'allow' && definition?.preview !== undefined);
  const ready = verdict === 'allow' && !needsAdmit;
  const identity = { turn_id: turn.turn_id, call_id: id, revision: 1, tool, version, class: admission.class, input_hash };
  return {
    id,
    tool_use_id: use.id.toWellFormed().slice(0, 200),
    tool,
    version,
    class: admission.class,
    verdict,
    reason: admission.reason,
    error: admission.error,
    input_digest: admission.input_digest,
    input_hash,
    input: inline ? admission.input : null,
    input_ref: inputRef,
    digest: ready ? callDigest({ ...identity, preview_ref: null, policy_ref: agent.policyRef, requester: turn.requester }) : null,
    needs_admit: needsAdmit,
    parallel: admission.parallel,
    idempotent: definition?.idempotent ?? false,
    timeout_ms: definition?.timeoutMs ?? CLASS_RULES[admission.class].timeoutMs,
  };
}

/** First part of the admission block: the model request that it answers, and what the vendor's own tools did. */
function admissionHeader(response: ModelResponse): JsonObject {
  return {
    message_id: response.id,
    request_id: response.requestId,
    model: response.model,
    stop_reason: response.stopReason,
    usage: { ...response.usage },
    server_tools: response.content
      .filter((block) => block.type === 'server_tool_use')
      .map((block) => ({ name: block.name ?? null, id: block.id ?? null })),
  };
}

function nextOf(response: ModelResponse, calls: number): TakeStepOutput['next'] {
  if (response.stopReason === 'refusal') return 'refusal';
  if (calls > 0) return 'calls';
  if (response.stopReason === 'pause_turn') return 'continue';
  return response.stopReason === 'max_tokens' ? 'cut' : 'end';
}

function policyOf({ agent, policyRef }: PreparedAgent): TurnPolicy {
  const { steps, tokens, costUsd: cost_usd, timeMs: time_ms } = agent.limits;
  return {
    policy_ref: policyRef,
    limits: { steps, tokens, cost_usd, time_ms },
    max_parallel: agent.maxParallel,
    sibling_abort: agent.siblingAbort,
    approval_expiry_ms: agent.approvalExpiryMs,
  };
}

function usageOf({ log, unpriced }: Dependencies, { model, usage }: ModelResponse): TakeStepOutput['usage'] {
  const { input_tokens, output_tokens, cache_read_tokens } = usage;
  const cost = costUsd(model, usage);
  if (!cost.priced && !unpriced.has(model)) {
    unpriced.add(model);
    log.warn({ model }, 'no price is known for this model: its cost counts as 0, and a cost limit does not bind');
  }
  return { input_tokens, output_tokens, cache_read_tokens, cost_usd: cost.usd };
}

function unknownAgent(name: string, known: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `This worker has no agent ${JSON.stringify(name)}; it serves: ${known.join(', ') || 'none'}.`,
    'holdfast.unknown_agent',
  );
}

function unlistedServerTool(names: string[]): ApplicationFailure {
  return ApplicationFailure.nonRetryable(
    `The model's answer used server-side tools that the agent does not list: ${names.join(', ').slice(0, 200)}. They bypass admission; list them in the agent's serverTools if they are wanted.`,
    'holdfast.unlisted_server_tool',
  );
}
