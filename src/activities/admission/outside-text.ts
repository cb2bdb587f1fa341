/**
 * Finds out whether a conversation has text of outsiders: it has calls of tools that are marked with `untrustedOutput`, or a trigger
 * began it. The conversation may be of another agent, or from before a deploy. The marks of that time are in the definitions that its
 * blocks name, and a tool's present mark does not undo them.
 */
import { isServerUse, type ModelMessage } from '../../model/provider';
import { blocksOf } from '../../record/read-block';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { StoreError, type Store } from '../../store/store';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import { isTriggerRequester } from '../../shared/ids';
import { messagesOf } from '../step/conversation';
import { isFilePart } from '../../shared/turn/message';
import type { StoredBlock } from '../../store/core/seal';

/** Names of the tools of a definition that return text of outsiders; null: the definition cannot be read any more. */
type UntrustedToolNames = ReadonlySet<string> | null;

/**
 * True if the blocks have a call of a tool with `untrustedOutput`, also a failed one, since an upstream writes its errors too. Also
 * true for the vendor's server-side tools, which read the web; for an answered call of a tool that this worker does not know; and
 * for any answered call if a definition cannot be read. And after a message with a file, whose sender need not have written it, or a
 * message of a trigger, which came from outside.
 * @param present the agent as it is now, and its `definition_ref`
 * @param answer content of the answer after the blocks: of its calls only those that ran at the vendor have a result
 */
export async function hasReadUntrusted(
  store: Pick<Store, 'getBytes'>,
  present: { agent: PreparedAgent; definition_ref: string },
  blocks: readonly StoredBlock[],
  answer: readonly JsonObject[],
): Promise<boolean> {
  if (answer.some(isServerUse)) return true;
  const starts = blocksOf('start', blocks);
  if (starts.some(({ parent, requester }) => parent?.untrusted === true || isTriggerRequester(requester))) return true;
  if (messagesOf([...blocks]).some(({ role, content }) => role === 'user' && content.some(isFilePart))) return true;
  const definitionRefs = [...starts, ...blocksOf('admission', blocks)].flatMap(({ definition_ref }) => definition_ref ?? []);
  const refs = new Set(definitionRefs.filter((ref) => ref !== present.definition_ref));
  const before = await Promise.all([...refs].map((ref) => markedIn(store, ref)));
  return hasUntrustedCall(present.agent, messagesOf([...blocks]), before);
}

function hasUntrustedCall(
  { tools }: PreparedAgent,
  messages: readonly ModelMessage[],
  before: readonly UntrustedToolNames[],
): boolean {
  const content = messages.flatMap((message) => message.content);
  const answeredIds = new Set(content.filter(isAnswer).map((block) => block.tool_use_id));
  const unreadable = before.includes(null);
  return content.some((block) => {
    if (isServerUse(block)) return true;
    if (block.type !== 'tool_use') return false;
    const name = String(block.name);
    const preparedTool = tools.get(name);
    if (preparedTool?.tool.untrustedOutput === true || before.some((names) => names?.has(name))) return true;
    return (preparedTool === undefined || unreadable) && answeredIds.has(block.id);
  });
}

async function markedIn(store: Pick<Store, 'getBytes'>, ref: string): Promise<UntrustedToolNames> {
  let definition: Json;
  try {
    definition = JSON.parse((await store.getBytes(ref)).toString('utf8')) as Json;
  } catch (error) {
    if (error instanceof StoreError || error instanceof SyntaxError) return null;
    throw error;
  }
  const tools = isJsonObject(definition) && Array.isArray(definition.tools) ? definition.tools : [];
  return new Set(tools.flatMap((tool) => (isJsonObject(tool) && tool.untrusted_output === true ? [String(tool.name)] : [])));
}

function isAnswer(block: JsonObject): boolean {
  return block.type === 'tool_result' && block.is_error !== true;
}
