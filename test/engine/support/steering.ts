/** Turns that get messages while their model thinks. */
import type { HoldfastClient } from '../../../src/client';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { ModelRequest } from '../../../src/model/provider';
import type { Store } from '../../../src/store/store';
import { walk } from '../../../src/store/core/transcript';
import { withEngine, type Engine, type Setup } from './engine';
import { ScriptedModel, type Answer } from '../../support/scripted-model';

export interface Interrupted extends Engine {
  turn: TurnHandle;
  /** The model's requests so far. */
  requests: ModelRequest[];
}

type Meanwhile = (turn: TurnHandle, client: HoldfastClient, signal: AbortSignal) => Promise<unknown>;

/** A turn of rita's. `meanwhile[n]` is done while the model thinks about its answer number n, from 1. */
export async function interrupted(
  setup: Partial<Setup> & { script: Answer[] },
  meanwhile: Record<number, Meanwhile>,
  body: (engine: Interrupted) => Promise<void>,
): Promise<void> {
  let tell!: (told: [TurnHandle, HoldfastClient]) => void;
  const told = new Promise<[TurnHandle, HoldfastClient]>((resolve) => (tell = resolve));
  const model = new ScriptedModel(setup.script, async (index, signal) => {
    await meanwhile[index + 1]?.(...(await told), signal);
  });
  await withEngine({ ...setup, model }, async (engine) => {
    const turn = await engine.start('Look after it.', { requester: 'rita' });
    tell([turn, engine.client]);
    await body({ ...engine, turn, requests: model.requests });
  });
}

/** Text of each message that the model was given, with its role; results of tools as `[results]`. */
export function conversation({ messages }: ModelRequest): string[] {
  return messages.map(({ role, content }) => {
    const texts = content.map((block) => (block.type === 'text' ? String(block.text) : `[${String(block.type)}]`));
    return `${role}: ${texts.join(' ')}`;
  });
}

/** Kinds of the transcript's blocks, and the messages to the turn with who has sent them. */
export async function recorded(store: Store, head: string | null): Promise<{ kinds: string[]; steers: any[] }> {
  const blocks = await walk(store, head);
  const steers = blocks.flatMap(({ bodies: [first, second] }) => {
    const { steer } = (first ?? {}) as { steer?: object };
    return steer ? [{ ...steer, text: (second as { text: string }).text }] : [];
  });
  return { kinds: blocks.map(({ block }) => block.kind), steers };
}
