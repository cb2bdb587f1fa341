/** How a turn begins in the transcript: who asked for what, and the user's message. */
import { hashJson } from '../../shared/json/digests';
import type { TurnBegin, TurnContext } from '../../shared/activity-io';
import type { StartBody } from '../../record/blocks';
import { messageBlock, startBlock } from '../../record/write-block';
import { systemPrompt } from '../../agents/system-prompt';
import { walk, type Draft } from '../../store/core/transcript';
import { messagesOf } from './conversation';
import { openCalls } from './compaction';
import type { Dependencies } from '../ports';
import type { Begun } from './mcp-tools';
import { checkStart } from '../checks/signed-start';

/**
 * @param parent what the draft follows: the end of the turn before
 * @throws ApplicationFailure for a start that has to be signed, and is not
 */
export async function addBeginning(
  deps: Dependencies,
  { draft, parent, at }: { draft: Draft; parent: string | null; at: string },
  { agent, outside }: Begun,
  { turn, message, attestation }: TurnBegin & { turn: TurnContext },
): Promise<void> {
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
    ...(attestation === undefined ? {} : { attestation }),
  };
  draft.add(startBlock(start), at);
  const lost = await unanswered(deps, parent);
  if (lost.length > 0) draft.add(messageBlock('user', lost), at);
  draft.add(messageBlock('user', [{ type: 'text', text: message }]), at);
}

const LOST =
  'The turn ended before the result of this call was known: it may or may not have taken effect. Find out before you repeat it.';

/** Results for calls that the turn before left without any, such as one that was terminated from outside: the API wants one for each. */
async function unanswered({ store }: Dependencies, head: string | null) {
  const last = messagesOf(await walk(store, head)).at(-1);
  return (last ? openCalls(last) : []).map(({ id }) => ({
    type: 'tool_result',
    tool_use_id: id ?? null,
    is_error: true,
    content: [{ type: 'text', text: LOST }],
  }));
}
