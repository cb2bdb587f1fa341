/** What an AG-UI run tells while a turn runs: text as it comes, and what waits below it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { agentTool } from '../../../src/agents/agent-tool';
import { defineAgent, defineApp } from '../../../src/agents/define';
import { InProcessLive } from '../../../src/live/in-process';
import { ModelFailure, type ModelProvider } from '../../../src/model/provider';
import { invoice, rita } from '../support/gateway-scene';
import { approved, FrontEnd } from '../support/front-end';
import { protocolScene, vera } from '../support/protocol-scene';
import { PlannedModel } from '../../support/planned-model';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { pays } from '../../support/tools';

/** Says a text in pieces; breaks off at its first attempts. */
function speaks(text: string, breaks: number): ModelProvider {
  let attempts = 0;
  return {
    name: 'speaks',
    async request(request, callbacks) {
      attempts += 1;
      const isBroken = attempts <= breaks;
      await sleep(1500); // the reader is there before the first piece, as with a real model
      for (const piece of isBroken ? ['Void '] : (text.match(/.{1,6}/g) ?? [])) {
        callbacks.onText?.(piece);
        await sleep(300);
      }
      if (isBroken) throw new ModelFailure('gone', { type: 'model.network', retryable: true, status: null });
      return new ScriptedModel([say(text)]).request(request, callbacks);
    },
  };
}

describe('the text of an AG-UI run', () => {
  it('comes as the model writes it', () =>
    protocolScene({ model: speaks('It costs seven.', 0), settings: { live: new InProcessLive() } }, async (scene) => {
      const front = new FrontEnd(scene, rita);
      await front.say('What does it cost?');
      const pieces = front.of('TEXT_MESSAGE_CONTENT' as never).map(({ delta }) => delta);
      expect(pieces.length).toBeGreaterThan(1);
      expect(pieces.join('')).toBe('It costs seven.');
      expect(front.agent.messages.map(({ content }) => content)).toEqual(['What does it cost?', 'It costs seven.']);
    }));

  it('is replaced where the model began anew', () =>
    protocolScene({ model: speaks('It costs seven.', 1), settings: { live: new InProcessLive() } }, async (scene) => {
      const front = new FrontEnd(scene, rita);
      await front.say('What does it cost?');
      expect(front.agent.messages.map(({ content }) => content)).toEqual(['What does it cost?', 'It costs seven.']);
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    }));
});

describe('a call of a sub-agent', () => {
  it('is an interrupt of the run above it', () => {
    const effects: unknown[] = [];
    const approvals = { fourEyes: false };
    const clerk = defineAgent({ name: 'clerk', prompt: 'Pay.', tools: [pays('pay', effects)], approvals });
    const tools = [agentTool(clerk, { description: 'Pays.' })];
    const app = defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Lead.', tools, approvals })] });
    const scripts: Record<string, ReturnType<typeof say>[]> = {
      'Lead.': [ask(['clerk', { task: 'Pay it.' }]), say('It is paid.')],
      'Pay it.': [ask(['pay', invoice]), say('Paid.')],
    };
    return protocolScene({ app, model: new PlannedModel((message) => scripts[message] ?? []) }, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Lead.');
      const [interrupt] = front.interrupts;
      const { turn_id } = front.agent.state.turn;
      expect(interrupt).toMatchObject({
        reason: 'holdfast:approval',
        metadata: { holdfast: { kind: 'approval', turn_id: `${turn_id}~1.1`, card: { tool: 'pay', input: invoice } } },
      });
      await front.answer(approved(interrupt!));
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', result: { text: 'It is paid.' } });
      expect(effects).toEqual([invoice]);
    });
  });
});
