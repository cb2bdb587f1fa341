/**
 * Writes the beginning of a turn into the transcript (requester, request, and the user's message), and its end. Also checks a session
 * that begins: is it the first of its id, and may it continue from a block of another conversation?
 */
import { ApplicationFailure, Context } from '@temporalio/activity';
import { hashJson } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import { isHash } from '../../shared/json/sha256';
import { GIVE_RESULT } from '../../shared/turn/result';
import type {
  BeginSessionInput,
  BeginSessionOutput,
  CheckForkInput,
  CheckForkOutput,
  EndTurnInput,
  EndTurnOutput,
  TurnBegin,
  TurnContext,
} from '../../shared/io/activities';
import type { StartBody } from '../../record/blocks';
import { messageBlock, startBlock, endBlock } from '../../record/write-block';
import { systemPrompt } from '../../agents/agent';
import { walk, Draft, turnOfBlock } from '../../store/core/transcript';
import { storedBlockOf, type StoredBlock } from '../../store/core/seal';
import { StoreError } from '../../store/store';
import { readBlock } from '../../record/read-block';
import type { Dependencies } from '../ports';
import { checkStart, UNATTESTED_START, beginOver } from '../checks/own-turn';
import { envelopeOf } from '../call/direct-envelope';
import { messageOf, messagesOf, addOutcomes } from './conversation';
import { mayCut, toolCallsOf } from './compaction';
import type { PreparedStart } from './mcp-tools';
import { optional } from '../../shared/json/optional';
import { contentOf } from '../../shared/turn/message';
import { storedMessageFault } from '../../files/conversation-files';

/**
 * @param parent head of the previous turn, which the draft follows
 * @throws ApplicationFailure for a start that must be signed, and is not; for a message with a file of somebody else
 */
export async function addBeginning(
  deps: Dependencies,
  { draft, parent, at }: { draft: Draft; parent: string | null; at: string },
  { agent, outside }: PreparedStart,
  { turn, message, attestation }: TurnBegin & { turn: TurnContext },
): Promise<void> {
  const fault = await storedMessageFault(deps.store, turn.requester, message);
  if (fault !== null)
    throw ApplicationFailure.nonRetryable(`The message is not taken: ${fault.replace(/\.$/, '')}.`, BAD_MESSAGE);
  const message_hash = hashJson(message);
  await checkStart(deps, agent, { turn, agent: turn.agent, message_hash, attestation });
  const definition_ref = await deps.archive.agent(agent);
  const start: StartBody = {
    ...turn,
    agent: {
      name: turn.agent,
      prompt_hash: hashJson(systemPrompt(agent.agent)),
      tools: [...agent.tools.values()].map(({ tool }) => `${tool.name}@${tool.version}`),
    },
    policy_ref: agent.policyRef,
    definition_ref,
    message_hash,
    ...(outside === null ? {} : { outside }),
    ...optional({ attestation }),
  };
  draft.add(startBlock(start), at);
  const results = await resultsForOpenCalls(deps, parent);
  if (results.length > 0) draft.add(messageBlock('user', results), at);
  draft.add(messageBlock('user', contentOf(message)), at);
}

const BAD_MESSAGE = 'holdfast.bad_message';
/** Such a message begins nothing, so there is nothing to keep. */
const NO_START: readonly unknown[] = [UNATTESTED_START, BAD_MESSAGE];

const UNKNOWN_RESULT_TEXT =
  'The turn ended before the result of this call was known: it may or may not have taken effect. Find out before you repeat it.';

/** Results for calls that the previous turn left without any, as after a termination: the API requires one for each call. */
async function resultsForOpenCalls({ store }: Dependencies, head: string | null) {
  const last = messagesOf(await walk(store, head)).at(-1);
  return (last ? toolCallsOf(last) : []).map(({ id }) => ({
    type: 'tool_result',
    tool_use_id: id ?? null,
    is_error: true,
    content: [{ type: 'text', text: UNKNOWN_RESULT_TEXT }],
  }));
}

/** Closes the transcript of a turn that did not end with an answer: adds the results of its last calls, and the reason. */
export async function endTurn(deps: Dependencies, input: EndTurnInput): Promise<EndTurnOutput> {
  const { turn, at, state, reason, begin } = input;
  const draft = new Draft(deps.store, turn.first_execution_run_id, input.head);
  if (begin) await keepUserMessage(deps, draft, input, begin);
  if (draft.head === null) return { head: null }; // no step ever succeeded: there is no transcript to close
  await addOutcomes(deps.store, draft, turn, at, input.outcomes);
  const { result_of } = input;
  const result = result_of === undefined ? {} : { result: await resultGivenBy(deps, turn, result_of) };
  draft.add(endBlock({ state, reason, ...optional({ result_of }) }), at);
  const head = await draft.store();
  const [outcome] = input.outcomes;
  return input.envelope && outcome ? { head, envelope: await envelopeOf(deps, input, outcome) } : { head, ...result };
}

/** The input of the call, as it was admitted. The activity's arguments are not trusted: the call must be of this turn, and its result. */
async function resultGivenBy({ store }: Dependencies, turn: TurnContext, digest: string): Promise<JsonObject> {
  const { record, input } = await store.getCall(digest);
  if (record.tool !== GIVE_RESULT || record.turn_id !== turn.turn_id)
    throw ApplicationFailure.nonRetryable(`Call ${digest} gives no result of this turn`, 'holdfast.no_result');
  return input;
}

/** Keeps the user's message although no step succeeded: the session's next turn continues from it. An invalid start is not kept. */
async function keepUserMessage(
  deps: Dependencies,
  draft: Draft,
  { turn, at, head }: EndTurnInput,
  begin: TurnBegin,
): Promise<void> {
  const agent = deps.registry.forTurn(turn);
  if (!agent) return;
  // Every new turn has a store. Otherwise someone who starts activities could begin one as of an older version.
  const boundTurn = { ...turn, store_id: await beginOver(deps, turn) };
  try {
    await addBeginning(deps, { draft, parent: head, at }, { agent, outside: null }, { turn: boundTurn, ...begin });
  } catch (error) {
    if (!(error instanceof ApplicationFailure && NO_START.includes(error.type))) throw error;
  }
}

/**
 * Whether this is the first session of its id. Temporal accepts an id again after a session was terminated or forgotten, while
 * turns of the earlier session may still exist, run, and be in the store. So the store keeps which session was the first.
 */
export async function beginSession(
  { store, turnEnds }: Pick<Dependencies, 'store' | 'turnEnds'>,
  { session_id, session_run }: BeginSessionInput,
): Promise<BeginSessionOutput> {
  const { namespace } = Context.current().info;
  const hash = hashJson({ v: 'holdfast.session/1', namespace, session_id });
  // Builds until November 2026 recorded it under this name; such an entry is deleted after a month.
  const { value: older } = await store.registers.read(`session/${hash}`);
  const first = await store.registers.update<Json>(`kept/session/${hash}`, (value) => {
    const entry = value ?? older;
    return entry === null ? { value: session_run, answer: session_run } : { answer: entry };
  });
  // Sessions of older builds have no entry.
  return { first: first === session_run && !(await turnEnds.hasTurns(session_id)) };
}

/** Whether a new session may continue after this block. The block must belong to `of`, and all calls before it have results. */
export async function checkFork({ store }: Pick<Dependencies, 'store'>, { block, of }: CheckForkInput): Promise<CheckForkOutput> {
  const unknown = { ok: false, reason: `There is no block ${JSON.stringify(block.slice(0, 64))} of yours.`, near: null } as const;
  if (!isHash(block)) return unknown;
  // Not from the cache: a collection of the store may have deleted a conversation that nothing referred to.
  const stored = async (hash: string) => storedBlockOf(await store.getSealedBlock(hash));
  const blocks = await walk({ getBlock: stored }, block).catch((error: unknown) => {
    if (error instanceof StoreError) return [];
    throw error;
  });
  const turn = turnOfBlock(blocks);
  if (turn === null || (of !== null && of !== turn.requester)) return unknown;
  if (endsWhole(blocks)) return { ok: true, agent: turn.agent, turn_id: turn.turn_id };
  const near = blocks.findLastIndex((_, index) => endsWhole(blocks.slice(0, index + 1)));
  return {
    ok: false,
    reason: `A conversation cannot be cut at block ${block}: it stands between a call and its result, or before a turn's message.`,
    near: near < 0 ? null : blocks[near]!.hash,
  };
}

/** Whether a conversation may end here: after a message, and with a result for each call. A start alone is no conversation. */
function endsWhole(blocks: StoredBlock[]): boolean {
  const last = blocks.findLast((storedBlock) => readBlock(storedBlock)?.kind === 'message');
  const message = last ? messageOf(last) : null;
  return message !== null && blocks.at(-1)!.block.kind !== 'start' && mayCut([{ message }], 1);
}
