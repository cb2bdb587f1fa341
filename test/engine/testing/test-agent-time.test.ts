/** `testAgent` on the time-skipping server. */
import { say } from '../../../src/testing';
import { quietRuntime } from '../support/engine';
import { JARS } from '../support/time-server';
import { DAY, during, PAY, payables } from './payables';

process.env.HOLDFAST_TIME_SERVER = process.env[JARS];
beforeAll(quietRuntime);
const where = process.env[JARS] ? it : it.skip;

where('three days pass at once: the approval expires (needs the time-skipping server)', async () => {
  const paid: string[] = [];
  await during(payables(paid), { script: [PAY, say('Nobody decided.')] }, async (test) => {
    const before = Date.now();
    const turn = await test.start('Pay INV-7.');
    await turn.waitForPending();
    await turn.skip('3 days');
    expect(Date.now() - before).toBeGreaterThan(3 * DAY - 60_000);
    expect((await turn.result()).calls).toMatchObject([{ state: 'expired', effect: 'refused' }]);
  });
  expect(paid).toEqual([]);
});
