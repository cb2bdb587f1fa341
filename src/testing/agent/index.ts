import type { Agent } from '../../agents/agent';
import type { App } from '../../agents/define';
import type { AgentTest, AgentTestOptions } from './test-agent';

export type { AgentTest, AgentTestOptions, TestDecision, TestTurn } from './test-agent';

/**
 * An agent in a test: a worker with the engine that runs in production, a store of its own, and a model that answers by a script. The
 * Temporal server starts with the first test of the process and ends with it.
 * @param subject the agent, or an app with several
 * @throws Error for a fake of a tool that the app does not have, or if the server does not start
 * @example
 * const test = await testAgent(payables, { script: [ask(['pay_invoice', { invoice: 'INV-7' }]), say('Paid.')] });
 * const turn = await test.start('Pay INV-7.');
 * const [call] = await turn.waitForPending();
 * await turn.approve(call.digest, { by: 'ana' });
 * expect(await turn.result()).toMatchObject({ state: 'completed', text: 'Paid.' });
 * await test.close();
 */
export async function testAgent(subject: Agent | App, options: AgentTestOptions): Promise<AgentTest> {
  // Loads Temporal's worker: tests of tools alone do without it.
  const { AgentTest } = await import('./test-agent.js');
  return AgentTest.open(subject, options);
}
