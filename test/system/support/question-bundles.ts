/** Sample bundles of turns whose model asks people. For make-bundles.ts. */
import { agentTool } from '../../../src/agents/agent-tool';
import type { Agent } from '../../../src/agents/agent';
import type { TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import { askPerson } from '../../../src/tools/people/ask-person';
import { eventually, type Engine } from '../../engine/support/engine';
import { ask, say, type Answer } from '../../support/scripted-model';
import { ANA_KEY } from '../../support/bundle-keys';
import { signed } from './attested-bundles';
import { agent, ended, invoice, pay, type Scenario } from './bundle-scenario';

const which = { question: 'Which account shall pay?', choices: ['operations', 'reserve'], to: ['ana', 'role:treasurer'] };
const approvals = { fourEyes: true };
const asker = agent('asker', { prompt: 'You ask, then pay.', tools: [askPerson(), pay], approvals });

export const QUESTION_AGENTS: readonly Agent[] = [
  asker,
  agent('mediator', { prompt: 'You have others pay.', tools: [agentTool(asker, { description: 'Asks, then pays.' })] }),
];

export const QUESTION_SCRIPTS: Record<string, Answer[]> = {
  'Ask, then pay.': [ask(['ask_person', which]), ask(['pay', invoice]), say('Paid.')],
  'Ask in vain.': [ask(['ask_person', { question: 'Anybody?', expires: 300 }]), say('Nobody.')],
  'Have somebody asked.': [ask(['asker', { task: 'Ask, then pay.' }]), say('It is paid.')],
};

const begun = async ({ start }: Engine, message: string, name: string): Promise<{ turn: TurnHandle; call: WaitingCall }> => {
  const turn = await start(message, { requester: 'rita', agent: name });
  const [call] = await turn.waitForPending();
  return { turn, call };
};

const payment = (turn: TurnHandle) =>
  eventually('the payment waits', async () => (await turn.pending()).find(({ tool }) => tool === 'pay'));

export const QUESTIONS: Record<string, Scenario> = {
  answered: async (engine) => {
    const { turn, call } = await begun(engine, 'Ask, then pay.', 'asker');
    await turn.answer(call.digest, 'reserve', { by: 'ana', note: 'Operations is empty.' });
    await turn.approve((await payment(turn)).digest, { by: 'bob' });
    return ended(turn);
  },
  unanswered: async ({ start }) => ended(await start('Ask in vain.', { requester: 'rita', agent: 'asker' })),
  /** The turn above passes the answer on. */
  answered_below: async (engine) => {
    const { turn, call } = await begun(engine, 'Have somebody asked.', 'mediator');
    await turn.answer(call.digest, 'operations', { by: 'ana' });
    await turn.approve((await payment(turn)).digest, { by: 'bob' });
    return ended(turn);
  },
};

export const SIGNED_QUESTIONS: Record<string, Scenario> = {
  signed_answer: async (engine) => {
    const { turn, call } = await begun(engine, 'Ask, then pay.', 'asker');
    const answer = { decision: 'answer' as const, value: 'reserve', note: 'Operations is empty.' };
    const attestation = await signed(turn, call.digest, 'ana', answer, ANA_KEY);
    const handle = engine.client.temporal.workflow.getHandle(turn.workflowId);
    await handle.signal('answer', { call: call.digest, value: answer.value, note: answer.note, attestation });
    const { digest } = await payment(turn);
    await turn.approve(digest, { attestation: await signed(turn, digest, 'bob') });
    return ended(turn);
  },
};
