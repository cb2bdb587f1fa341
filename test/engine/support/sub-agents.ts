/** Turns whose calls are answered by other agents, each turn with a script of its own, found by its message. */
import { defineApp } from '../../../src/agents/define';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { HoldfastClient } from '../../../src/client';
import type { ModelRequest } from '../../../src/model/provider';
import { eventually, withEngine, type Engine, type Setup } from './engine';
import { keepForReplay } from './replays';
import { PlannedModel } from '../../support/planned-model';
import type { Answer } from '../../support/scripted-model';
import type { Agent } from '../../../src/agents/agent';

export interface Agents extends Engine {
  /** The requests of each turn's model, by the turn's message. */
  requests: Map<string, ModelRequest[]>;
}

/**
 * @param scripts by the message of the turn
 * @param meanwhile done before a turn's model answers; `index` from 0
 */
export function withAgents(
  agents: Agent[],
  scripts: Record<string, Answer[]>,
  body: (engine: Agents) => Promise<void>,
  { meanwhile, ...setup }: Setup & { meanwhile?: (message: string, index: number, signal: AbortSignal) => Promise<void> } = {},
): Promise<void> {
  const requests = new Map<string, ModelRequest[]>();
  const planned = new PlannedModel((message) => scripts[message] ?? []);
  const model: Setup['model'] = {
    name: 'planned',
    async request(request, options) {
      const message = (request.messages[0]!.content as { text: string }[])[0]!.text;
      const before = requests.get(message) ?? [];
      requests.set(message, [...before, structuredClone(request)]);
      await meanwhile?.(message, before.length, options.signal);
      return planned.request(request, options);
    },
  };
  return withEngine({ ...setup, app: defineApp({ agents }), model }, async (engine) => {
    const started: TurnHandle[] = [];
    const start: Engine['start'] = async (message = 'Lead.', more = {}) => {
      const turn = await engine.start(message, { agent: agents[0]!.name, requester: 'rita', ...more });
      started.push(turn);
      return turn;
    };
    await body({ ...engine, start, requests });
    for (const turn of started) await replayBelow(engine.client, turn);
  });
}

async function replayBelow(client: HoldfastClient, turn: TurnHandle): Promise<void> {
  for (const { turn_id } of (await turn.status()).sub_turns ?? []) {
    const child = client.turn(turn_id);
    await keepForReplay(client.temporal, child);
    await replayBelow(client, child);
  }
}

/** The handles of a turn's sub-agents' turns, once there are this many. */
export function children(client: HoldfastClient, turn: TurnHandle, count = 1): Promise<TurnHandle[]> {
  return eventually(`${count} sub-agents run`, async () => {
    const { sub_turns = [] } = await turn.status();
    return sub_turns.length >= count && sub_turns.map(({ turn_id }) => client.turn(turn_id));
  });
}
