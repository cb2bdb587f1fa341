import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ask, say, testAgent, type AgentTestOptions } from 'holdfast/testing';
import { payables } from './app.js';
import { sendTransfer, transfers } from './bank.js';

const paysINV7 = ask(['pay_invoice', { invoice: 'INV-7', cents: 70_000 }]);

beforeEach(() => void (process.env.STATE_DIR = mkdtempSync(join(tmpdir(), 'payables-'))));
afterEach(() => rmSync(process.env.STATE_DIR!, { recursive: true }));

/** Runs a turn to its end. */
async function run(options: AgentTestOptions) {
  const agent = await testAgent(payables, options);
  try {
    return await (await agent.start('Pay INV-7.')).result();
  } finally {
    await agent.close();
  }
}

test('an invoice is paid once a person has approved what the preview says', async () => {
  const agent = await testAgent(payables, { script: [ask(['look_up_invoice', { invoice: 'INV-7' }]), paysINV7, say('Paid.')] });
  try {
    const turn = await agent.start('Pay INV-7.');
    const [call] = await turn.waitForPending();
    assert.match((await turn.cards()).get(call.digest)!, /Pay 700\.00 EUR to Muster GmbH/);
    assert.deepEqual(await transfers(), []);

    await turn.approve(call.digest, { by: 'ana' });
    assert.equal((await turn.result()).text, 'Paid.');
    assert.deepEqual(
      (await transfers()).map(({ reference, cents }) => [reference, cents]),
      [['INV-7', 70_000]],
    );
  } finally {
    await agent.close();
  }
});

test('an invoice that a person refuses is not paid', async () => {
  const turn = await run({
    script: [paysINV7, say('It was refused.')],
    decisions: { pay_invoice: { deny: 'ana', note: 'wrong supplier' } },
  });
  assert.equal(turn.state, 'refused');
  assert.deepEqual(await transfers(), []);
});

test('nobody is asked about an amount that is not that of the invoice', async () => {
  const turn = await run({ script: [ask(['pay_invoice', { invoice: 'INV-7', cents: 7 }]), say('It differs.')] });
  assert.equal(turn.text, 'It differs.');
  assert.deepEqual(await transfers(), []);
});

test('a second payment of an invoice says on its card that there was one, also if another turn made it', async () => {
  const agent = await testAgent(payables, { script: [paysINV7, say('Paid.'), paysINV7, say('It is paid.')] });
  try {
    const first = await agent.start('Pay INV-7.');
    await first.approve((await first.waitForPending())[0].digest, { by: 'ana' });
    await first.result();

    const second = await agent.start('Pay INV-7 now.');
    const [call] = await second.waitForPending();
    assert.match((await second.cards()).get(call.digest)!, /Other calls are for the same act[^]*it was done/);
    await second.deny(call.digest, { by: 'ana' });
    await second.result();
    assert.equal((await transfers()).length, 1);
  } finally {
    await agent.close();
  }
});

test('a payment whose answer was lost is found in the ledger, and not repeated', async () => {
  const turn = await run({
    script: [paysINV7, say('Paid.')],
    decisions: { pay_invoice: { approve: 'ana' } },
    tools: {
      pay_invoice: async (_, { idempotencyKey: key }) => {
        await sendTransfer({ key, iban: 'DE02120300000000202051', cents: 70_000, reference: 'INV-7' });
        throw new Error('connection reset');
      },
    },
  });
  assert.equal(turn.calls.at(-1)?.effect, 'applied');
  assert.equal((await transfers()).length, 1);
});

test('more than the budget of a day is not paid, also with an approval', async () => {
  const turn = await run({
    script: [ask(['pay_invoice', { invoice: 'INV-8', cents: 450_000 }]), paysINV7, say('The second one must wait.')],
    decisions: { pay_invoice: { approve: 'ana' } },
  });
  assert.equal(turn.text, 'The second one must wait.');
  assert.deepEqual(
    (await transfers()).map(({ reference }) => reference),
    ['INV-8'],
  );
});
