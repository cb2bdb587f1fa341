/** Sessions of the real engine: their turns to the end, their transcript block by block, their histories replayed. */
import type { HoldfastClient } from '../../../src/client';
import type { SessionHandle } from '../../../src/client/sessions/session-handle';
import type { ModelMessage, ModelRequest } from '../../../src/model/provider';
import type { SessionView } from '../../../src/shared/turn/session';
import type { TurnView } from '../../../src/shared/turn/turn-view';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { eventually } from './engine';
import { keepForReplay } from './replays';
import type { StoredBlock } from '../../../src/store/core/seal';

/** Sends a message, and waits for the end of its turn. */
export async function talk(session: SessionHandle, message: string, id?: string): Promise<TurnView> {
  const { turn_id } = await session.send(message, id === undefined ? {} : { id });
  return (await session.started(turn_id)).result();
}

/** The view, once the session has noticed that this many turns have ended. */
export function afterTurns(session: SessionHandle, turns: number): Promise<SessionView> {
  return eventually(`${turns} turns have ended`, async () => {
    const view = await session.status();
    return view.turns >= turns && view.running === null && view;
  });
}

/** Has every run of a session replayed, and every turn of it. Returns the runs. */
export async function replayedSession(client: HoldfastClient, session: SessionHandle): Promise<number> {
  const view = await session.status();
  await keepForReplay(client.temporal, ...view.last.map(({ turn_id }) => client.turn(turn_id)));
  let runs = 0;
  const { workflowId } = session;
  for await (const { runId } of client.temporal.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    await keepForReplay(client.temporal, { workflowId, runId });
    runs += 1;
  }
  return runs;
}

/** Faults of a session's chain: each turn begins where the one before ended, and every call has its result. */
export async function chainFaults(store: Store, head: string | null): Promise<string[]> {
  const blocks = await walk(store, head);
  const faults: string[] = [];
  for (const [index, { block, hash }] of blocks.entries()) {
    const before = blocks[index - 1]?.block.kind;
    if (block.kind === 'start' && before !== undefined && !['end', 'summary'].includes(before))
      faults.push(`${hash} starts a turn after a block of kind ${before}`);
    if (block.kind === 'summary' && before === 'admission') faults.push(`${hash} stands between a call and its result`);
  }
  if (blocks.length > 0 && blocks.at(-1)!.block.kind !== 'end')
    faults.push(`the last block is of kind ${blocks.at(-1)!.block.kind}`);
  return [...faults, ...callFaults(blocks.filter(({ block }) => block.kind === 'message').map(messageOf))];
}

function messageOf({ bodies: [first, ...content] }: StoredBlock): ModelMessage {
  return { role: (first as { role: ModelMessage['role'] }).role, content: content as ModelMessage['content'] };
}

/** A conversation as the Messages API takes it: results right after their calls, and no others. */
export function callFaults(messages: ModelMessage[]): string[] {
  const ids = (message: ModelMessage | undefined, type: string, name: string) =>
    (message?.content ?? []).filter((block) => block.type === type).map((block) => String(block[name]));
  return messages.flatMap((message, index) => {
    const asked = message.role === 'assistant' ? ids(message, 'tool_use', 'id') : [];
    const given = ids(message, 'tool_result', 'tool_use_id');
    const wanted = messages[index - 1]?.role === 'assistant' ? ids(messages[index - 1], 'tool_use', 'id') : [];
    return [
      ...(asked.length > 0 && ids(messages[index + 1], 'tool_result', 'tool_use_id').join() !== asked.join()
        ? [`message ${index}: ${asked.join()} without results`]
        : []),
      ...(given.length > 0 && given.join() !== wanted.join()
        ? [`message ${index}: results for ${given.join()}, of ${wanted.join()}`]
        : []),
    ];
  });
}

/** One line for each message of a request: role, texts, calls and results. */
export function lines(request: ModelRequest): string[] {
  return request.messages.map(({ role, content }) => `${role}: ${content.map(piece).join(' | ')}`);
}

function piece(block: ModelMessage['content'][number]): string {
  if (block.type === 'text') return String(block.text);
  return block.type === 'tool_use' ? `→${String(block.name)}` : `←${String(block.tool_use_id)}`;
}
