/** Checks a call of a sub-agent like any other call before it runs, and describes the child turn that the workflow starts. */
import type { ExistingSubTurn, OpenSubTurnInput, OpenSubTurnOutput } from '../../shared/io/activities';
import { callError, type CallError } from '../../shared/wire/errors';
import { hashJson } from '../../shared/json/digests';
import { workflowId } from '../../shared/ids';
import type { JsonObject } from '../../shared/json/json';
import { narrower, type OuterMode, type TurnLimits } from '../../shared/turn/sub-turn';
import { tooDeep } from '../../tools/admit/admit';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { readInputOrThrow } from '../../tools/schema/input-output';
import { resolveCall, heldByReset, checkRulesAndHolds } from '../checks/resolve-call';
import { remainingDepth, noteSubTurn, reportOf } from './close-sub-turn';
import type { Dependencies } from '../ports';
import { refusal } from '../call/run-once';
import type { SubAgent, Tool } from '../../tools/define/tool';
import { errorMessage } from '../../shared/text/error-message';

/** Characters; the same limit as for a message with which a person starts a turn. */
const LONGEST_MESSAGE = 100_000;

export async function openSubTurn(deps: Dependencies, request: OpenSubTurnInput): Promise<OpenSubTurnOutput> {
  const { turn } = request;
  const resolution = await resolveCall(deps, request);
  if (!resolution.ok) return { open: false, refused: resolution.output };
  const { run } = resolution;
  const { tool, input } = run;
  const refuse = async (error: CallError) => ({
    open: false as const,
    refused: await refusal(run, error),
  });

  const { subAgent } = tool;
  if (!subAgent)
    return refuse(callError('TOOL_NOT_FOUND', 'tool_changed', `No agent answers ${tool.name}@${tool.version} any more.`));
  const output = (await heldByReset(run)) ?? (await checkRulesAndHolds(run));
  if (output) return { open: false, refused: output };
  const asking = deps.registry.forTurn(turn)!; // not null: `resolveCall` found its tool
  const preparedAgent = deps.registry.agent(subAgent.name);
  if (!preparedAgent) return refuse(notServed(subAgent.name, deps.registry.names()));
  const depth = remainingDepth(turn, asking);
  if (depth === 0) return refuse(tooDeep(tool.name));
  const message = messageOf(tool, subAgent, input);
  if (typeof message !== 'string') return refuse(message.fault);

  const bounds = { within: modesOf(asking), depth_left: depth - 1 };
  const existing = await existingTurn(deps, request, subAgent.name);
  if (existing === null) {
    const subTurn = { digest: request.call.digest, agent: subAgent.name, message_hash: hashJson(message), ...bounds };
    await noteSubTurn(deps.store, turn, workflowId(request.sub_turn_id), subTurn);
  }
  return {
    open: true,
    agent: subAgent.name,
    message,
    limits: limitsOf(preparedAgent, subAgent),
    ...bounds,
    existing,
  };
}

/** The turn that already has the id, or null. After a reset it may be a child that an earlier run of this turn started. */
async function existingTurn(
  { turns }: Dependencies,
  { turn, call, sub_turn_id }: OpenSubTurnInput,
  agent: string,
): Promise<ExistingSubTurn | null> {
  const existing = await turns.ask(workflowId(sub_turn_id));
  if (existing === null) return null;
  const { facts, startedBy } = existing;
  const { parent } = facts ?? {};
  const ours =
    startedBy === turn.workflow_id &&
    parent?.workflow_id === turn.workflow_id &&
    parent.first_execution_run_id === turn.first_execution_run_id &&
    parent.call_id === call.id;
  if (!ours) return { whose: 'foreign', report: null };
  const same = parent.digest === call.digest && facts?.agent === agent;
  const { said_by: _, ...report } = reportOf(existing, agent); // the workflow gets `said_by` when it looks at the turn again
  return { whose: same ? 'same' : 'other', report };
}

function messageOf(tool: Tool, subAgent: SubAgent, input: JsonObject): string | { fault: CallError } {
  const fault = (text: string) => ({
    fault: callError('EXECUTION_ERROR', 'no_message', `Agent ${subAgent.name} was not asked: ${text}.`),
  });
  try {
    const message: unknown = subAgent.message(readInputOrThrow(tool, input) as JsonObject);
    if (typeof message !== 'string' || message.trim() === '' || message.length > LONGEST_MESSAGE || !message.isWellFormed())
      return fault(`its message must be well-formed text of 1 to ${LONGEST_MESSAGE} characters`);
    return message;
  } catch (error) {
    return fault(`making its message failed: ${errorMessage(error).slice(0, 300)}`);
  }
}

function limitsOf({ agent: { limits } }: PreparedAgent, { limits: own }: SubAgent): TurnLimits {
  const { steps, tokens, costUsd, timeMs } = { ...limits, ...own };
  const ownLimits = { steps, tokens, cost_usd: costUsd, time_ms: timeMs };
  return narrower(ownLimits, { steps: limits.steps, tokens: limits.tokens, cost_usd: limits.costUsd, time_ms: limits.timeMs });
}

/** The modes of the asking agent that also bind its sub-agents. */
function modesOf({ policy: { mode, within = [] } }: PreparedAgent): OuterMode[] {
  return (['plan', 'locked'] as const).filter((binding) => mode === binding || within.includes(binding));
}

function notServed(name: string, names: string[]): CallError {
  const message = `This worker does not serve agent ${JSON.stringify(name)}.`;
  return callError('TOOL_NOT_FOUND', 'unknown_agent', message, { hint: `It serves: ${names.join(', ')}.` });
}
