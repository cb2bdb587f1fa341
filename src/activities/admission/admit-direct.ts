/** Admits a tool call that a caller makes without a model, and records it like a step of a turn. */
import { systemPrompt } from '../../agents/agent';
import { INLINE_BYTES, type AdmitDirectInput, type AdmitDirectOutput } from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { hashJson, inputDigest } from '../../shared/json/digests';
import { callError, type CallError } from '../../shared/wire/errors';
import { callId } from '../../shared/ids';
import { Draft } from '../../store/core/transcript';
import { admit, checkAhead, type StaticAdmission } from '../../tools/admit/admit';
import type { PreparedAgent, Registry } from '../../tools/catalogue/registry';
import { isFrom } from '../../tools/catalogue/tool-source';
import { turnFacts } from './decide-call';
import type { Dependencies } from '../ports';
import { admissionBody, admittedCall, storeCalls, type ProposedCall } from './admit-calls';
import { checkStart, beginOver } from '../checks/own-turn';
import { directCallKeyFault } from '../checks/start';
import { beginningAgent, type PreparedStart } from '../step/mcp-tools';
import type { DirectRequest, StartBody } from '../../record/blocks';
import { turnSubject } from '../../record/subject';
import { admissionBlock, startBlock } from '../../record/write-block';
import { policyOf } from '../step/take-step';

/** Takes the place of the id that a model would give the call. */
const TOOL_USE_ID = 'direct';

export async function admitDirect(deps: Dependencies, input: AdmitDirectInput): Promise<AdmitDirectOutput> {
  const lookup = agentFor(deps.registry, input);
  const preparedStart = lookup.ok ? ((await beginningAgent(deps, { agent: lookup.agent.agent.name })) ?? null) : null;
  const agent = preparedStart?.agent ?? null;
  const turn = { ...input.turn, agent: agent?.agent.name ?? input.turn.agent };
  const { attestation, input_json, tool } = input;
  const message_hash = hashJson({ tool, input_json });
  if (agent) await checkStart(deps, agent, { turn, agent: input.turn.agent, message_hash, attestation });
  const definition_ref = agent && (await deps.archive.agent(agent));
  const store_id = await beginOver(deps, turn);
  const admissible = agent
    ? await admitOne(deps, agent, { ...input, turn })
    : rejectOne(input, lookup.ok ? unknownTool(input.tool, '') : lookup.error);
  const mayAct = admissible.admission.class === 'destructive' && admissible.admission.verdict !== 'rejected';
  const keyFault = mayAct ? await directCallKeyFault(deps.store, turn) : null;
  const proposal = keyFault === null ? admissible : rejectOne(input, keyFault);

  const boundTurn = { ...turn, store_id };
  const draft = new Draft(deps.store, turn.first_execution_run_id, null);
  const start = startBody(
    preparedStart,
    { ...input, turn: boundTurn },
    { asked_agent: input.turn.agent, message_hash, definition_ref },
  );
  draft.add(startBlock(start), input.at);
  const request: DirectRequest = { direct: true, requester: turn.requester, definition_ref, subject: turnSubject(turn) };
  const admission = draft.add(admissionBlock(request, [proposal.body]), input.at);
  const call = admittedCall(agent && { agent, definition_ref }, boundTurn, proposal, {
    inputRef: admission.block.parts[1]!,
    untrusted: false,
  });
  const writes = storeCalls(deps.store, boundTurn, [{ proposal, call }]);
  const [head] = await Promise.all([draft.store(), writes]);
  return { head, agent: turn.agent, policy: agent && policyOf(agent), call, store_id };
}

type AgentLookup = { ok: true; agent: PreparedAgent } | { ok: false; error: CallError };

/** The agent whose rules apply: the named one, otherwise the only one that has the tool. */
function agentFor(registry: Registry, { turn, tool }: AdmitDirectInput): AgentLookup {
  const names = registry.names();
  const servedAgents = `This worker serves: ${names.join(', ') || 'none'}.`;
  if (turn.agent !== '') {
    const agent = registry.agent(turn.agent);
    if (agent) return { ok: true, agent };
    const message = `This worker has no agent ${JSON.stringify(turn.agent.slice(0, 100))}.`;
    return { ok: false, error: callError('INVALID_PARAMS', 'unknown_agent', message, { hint: servedAgents }) };
  }
  const having = names.filter((name) => hasTool(registry.agent(name)!, tool));
  if (having.length === 1) return { ok: true, agent: registry.agent(having[0]!)! };
  if (having.length > 1) {
    const message = `${having.length} agents have ${tool}: ${having.join(', ')}. Each has rules of its own, so one has to be named.`;
    return { ok: false, error: callError('INVALID_PARAMS', 'ambiguous_agent', message, { hint: 'Name one of them as agent.' }) };
  }
  return { ok: false, error: unknownTool(tool, servedAgents) };
}

function unknownTool(tool: string, hint: string): CallError {
  return callError('TOOL_NOT_FOUND', 'unknown_tool', `No agent has a tool ${JSON.stringify(tool.slice(0, 100))}.`, { hint });
}

/** True also if it may have the tool: what its MCP servers offer is only known once they are asked. */
function hasTool({ tools, internal, agent }: PreparedAgent, name: string): boolean {
  return tools.has(name) || internal.has(name) || isFrom(agent.mcpServers, name);
}

async function admitOne(
  { log, running }: Dependencies,
  agent: PreparedAgent,
  { turn, tool, input_json }: AdmitDirectInput,
): Promise<ProposedCall> {
  await checkAhead(agent, [{ name: tool, json: input_json, cut: false }], turn.requester);
  const began = performance.now();
  const facts = { turn: turnFacts(turn, callId(1, 1), false), log };
  const proposal = { name: tool, json: input_json, cut: false, direct: true };
  const admission = await running.asking(agent.tools.get(tool)?.tool.name, () => admit(agent, proposal, facts));
  return buildProposedCall(tool, input_json, admission, Math.round(performance.now() - began));
}

function rejectOne({ tool, input_json }: AdmitDirectInput, error: CallError): ProposedCall {
  const identity = { tool: tool.slice(0, 100).toWellFormed(), version: '' };
  const admission: StaticAdmission = {
    ...identity,
    class: 'read',
    verdict: 'rejected',
    reason: error.reason,
    error,
    input: {},
    input_hash: hashJson({}),
    input_digest: inputDigest({ ...identity, input: input_json.toWellFormed() }),
    parallel: true,
    changes: [],
    undecided: false,
    facts: null,
    target: null,
  };
  return buildProposedCall(tool, input_json, admission, 0);
}

function buildProposedCall(name: string, json: string, admission: StaticAdmission, validationMs: number): ProposedCall {
  const id = callId(1, 1);
  const use = { id: TOOL_USE_ID, name, json };
  const inline = Buffer.byteLength(canonical(admission.input)) <= INLINE_BYTES;
  return { id, use, admission, validationMs, inline, body: admissionBody(id, use, admission) };
}

function startBody(
  preparedStart: PreparedStart | null,
  { turn, tool, input_json, attestation }: AdmitDirectInput,
  { asked_agent, message_hash, definition_ref }: { asked_agent: string; message_hash: string; definition_ref: string | null },
): StartBody {
  const agent = preparedStart?.agent ?? null;
  const outside = preparedStart?.outside ?? null;
  const agentFacts = agent && {
    name: turn.agent,
    prompt_hash: hashJson(systemPrompt(agent.agent)),
    tools: [...agent.tools.values()].map(({ tool: { name, version } }) => `${name}@${version}`),
  };
  const call = { tool: tool.toWellFormed(), asked_hash: hashJson(input_json.toWellFormed()) };
  const signed_for = { agent: asked_agent, message_hash };
  const signatureFields = attestation === undefined ? {} : { attestation, signed_for };
  return {
    ...turn,
    agent: agentFacts,
    policy_ref: agent?.policyRef ?? null,
    definition_ref,
    call,
    ...(outside === null ? {} : { outside }),
    ...signatureFields,
  };
}
