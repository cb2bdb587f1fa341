/**
 * An attacker who reaches the Web UI reads each signed statement on a call in doubt, also those that their authors have corrected,
 * and sends them again. Each test is named after what it prevents.
 */
import { ToolError } from '../../../src/tools/define/errors';
import { eventually } from '../support/engine';
import { scene } from '../support/scene';
import { pays } from '../../support/tools';

const PATIENCE = 240_000;

describe('a statement on a payment in doubt that its author has corrected', () => {
  it(
    'does not replace the correction when it is sent again: the call is settled as its people say',
    () => {
      const run = () => {
        throw new ToolError('TIMEOUT', 'no_answer', 'The bank did not answer.');
      };
      const setup = { agent: { approvals: { quorum: 2 } }, tools: [pays('pay', [], { run })] };
      return scene('attested', setup, async ({ turn, digest, by, signal, ignored }) => {
        for (const name of ['ana', 'bob']) await turn.approve(digest, await by(name));
        await eventually('it is in doubt', async () => (await turn.status()).state === 'in_doubt');
        const said = (name: string, outcome: 'applied' | 'not_applied') => by(name, { decision: 'settle', outcome });
        const wrong = await said('ana', 'not_applied');
        await turn.settle(digest, 'not_applied', wrong);
        const right = await said('ana', 'applied');
        await turn.settle(digest, 'applied', right);
        await signal('settle', { call: digest, outcome: 'not_applied', attestation: wrong.attestation });
        expect(await ignored()).toContain('ana has since settled the call as applied');
        await turn.settle(digest, 'applied', await said('bob', 'applied'));
        expect((await turn.result()).calls).toMatchObject([{ effect: 'applied' }]);
      });
    },
    PATIENCE,
  );
});
