/** Gives the result of an agent that wants one: once a player has nothing more to call, data made of the schema and the user's words. */
import { GIVE_RESULT } from '../../shared/turn/result';
import type { Play } from './call-ledger';
import type { Conversation } from './conversation';
import { guessInput } from './guess';

/** @param player knows nothing of results: for it, the tool does not exist */
export function playToResult(conversation: Conversation, player: (conversation: Conversation) => Play): Play {
  const { tools, calls } = conversation;
  const giver = tools.find(({ name }) => name === GIVE_RESULT);
  if (giver === undefined) return player(conversation);
  const others = <T extends { name: string }>(list: T[]) => list.filter(({ name }) => name !== GIVE_RESULT);
  const play = player({ ...conversation, tools: others(tools), calls: others(calls) });
  const input = play.calls.length > 0 ? undefined : guessInput(giver.schema, conversation.ask);
  return input === undefined ? play : { ...play, calls: [{ name: GIVE_RESULT, input }] };
}
