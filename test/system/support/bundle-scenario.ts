/** Parts of the scenarios of sample bundles: make-bundles.ts. */
import { defineAgent } from '../../../src/agents/define';
import type { Subject } from '../../../src/audit/export/bundle';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type { JsonObject } from '../../../src/shared/json/json';
import type { Engine } from '../../engine/support/engine';
import { ask, type Answer } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';
import type { AgentDefinition } from '../../../src/agents/agent';

export const invoice = { invoice: 'INV-7', cents: 700 };
export const read = reads('lookup', ({ key }) => `value of ${key}`);
export const payPreview = ({ cents, invoice: of }: any): string => `Pay ${cents} cents for ${of}.`;
export const pay = pays('pay', [], { preview: payPreview });
export const lookUp = (...keys: string[]): Answer => ask(...keys.map((key): [string, JsonObject] => ['lookup', { key }]));

export const agent = (name: string, more: Partial<AgentDefinition> = {}) =>
  defineAgent({ name, prompt: 'You pay invoices.', tools: [pay, read], ...more });

/** The bundles that a scenario has made, by the names of their files. */
export type Made = Record<string, Subject>;
export type Scenario = (engine: Engine) => Promise<Made | TurnHandle>;

export const turnOf = (turn: TurnHandle): Subject => ({ kind: turn.id.startsWith('call/') ? 'call' : 'turn', id: turn.id });

/** A payment that waits. */
export async function asked({ start }: Engine, agent = 'tester'): Promise<{ turn: TurnHandle; call: WaitingCall }> {
  const turn = await start('Pay INV-7.', { requester: 'rita', agent });
  const [call] = await turn.waitForPending();
  return { turn, call };
}

/** The same, and its end. */
export async function ended(turn: TurnHandle): Promise<TurnHandle> {
  await turn.result();
  return turn;
}
