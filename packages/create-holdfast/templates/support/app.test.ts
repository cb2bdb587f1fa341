import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { ask, say, testAgent, type AgentTest, type AgentTestOptions } from 'holdfast/testing';
import { support } from './app.js';
import { allRefunds } from './shop.js';

const mara = { requester: 'mara' };

beforeEach(() => void (process.env.STATE_DIR = mkdtempSync(join(tmpdir(), 'support-'))));
afterEach(() => rmSync(process.env.STATE_DIR!, { recursive: true }));

async function withAgent(script: AgentTestOptions['script'], body: (agent: AgentTest) => Promise<void>) {
  const agent = await testAgent(support, { script });
  try {
    await body(agent);
  } finally {
    await agent.close();
  }
}

test('a small refund needs no person', () =>
  withAgent(
    [ask(['find_order', { order: 'A-1042' }]), ask(['refund_order', { order: 'A-1042', cents: 1200 }]), say('Refunded.')],
    async (agent) => {
      const turn = await agent.start('My cup (A-1042) is broken.', mara);
      assert.equal((await turn.result()).text, 'Refunded.');
      assert.deepEqual(
        (await allRefunds()).map(({ order, cents }) => [order, cents]),
        [['A-1042', 1200]],
      );
    },
  ));

test('a large refund waits for a person, and a refusal is told to the customer', () =>
  withAgent([ask(['refund_order', { order: 'A-1043', cents: 8900 }]), say('Please send us a photo.')], async (agent) => {
    const turn = await agent.start('My lamp (A-1043) is broken.', mara);
    const [call] = await turn.waitForPending();
    assert.match((await turn.cards()).get(call.digest)!, /Refund 89\.00 of 89\.00 EUR to mara/);
    await turn.deny(call.digest, { by: 'ana', note: 'We need a photo first.' });
    assert.equal((await turn.result()).text, 'Please send us a photo.');
    assert.match(JSON.stringify(agent.model.requests.at(-1)!.messages), /We need a photo first/);
    assert.deepEqual(await allRefunds(), []);
  }));

test('an order gives back no more than it cost, in one step or in several', () => {
  const whole: Parameters<typeof ask>[0] = ['refund_order', { order: 'A-1042', cents: 1200 }];
  return withAgent([ask(whole, whole), ask(whole), say('You have your money back.')], async (agent) => {
    await (await agent.start('My cup (A-1042) is broken.', mara)).result();
    const messages = JSON.stringify(agent.model.requests.at(-1)!.messages);
    assert.equal(messages.match(/A-1042 cost 1200 cents, of which 1200 were refunded before/g)?.length, 2);
    assert.equal((await allRefunds()).length, 1);
  });
});

test('a second refund of an order waits for a person, also a small one', () =>
  withAgent(
    [
      ask(['refund_order', { order: 'A-1042', cents: 700 }]),
      say('Done.'),
      ask(['refund_order', { order: 'A-1042', cents: 500 }]),
      say('Done.'),
    ],
    async (agent) => {
      await (await agent.start('The handle of my cup (A-1042) is broken.', mara)).result();
      const turn = await agent.start('And the saucer too.', mara);
      const [call] = await turn.waitForPending();
      const card = (await turn.cards()).get(call.digest)!;
      assert.match(card, /Refund 5\.00 of 12\.00 EUR to mara for A-1042, a cup; 7\.00 EUR were/);
      assert.match(card, /Other calls are for the same act/);
      assert.equal((await allRefunds()).length, 1);

      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      assert.deepEqual(
        (await allRefunds()).map(({ cents }) => cents),
        [700, 500],
      );
    },
  ));

test('an order of another customer is not there', () =>
  withAgent([ask(['refund_order', { order: 'A-1042', cents: 1200 }]), say('I find no such order.')], async (agent) => {
    await (await agent.start('Refund A-1042.', { requester: 'otto' })).result();
    assert.match(JSON.stringify(agent.model.requests.at(-1)!.messages), /has no order A-1042/);
    assert.deepEqual(await allRefunds(), []);
  }));

test('a matter of goodwill is asked to a person, whose answer the model reads', () =>
  withAgent(
    [ask(['ask_person', { question: 'A discount of 10 % for Mara?', choices: ['yes', 'no'] }]), say('You get 10 %.')],
    async (agent) => {
      const turn = await agent.start('Do I get a discount?', mara);
      const [question] = await turn.waitForPending();
      await turn.answer(question.digest, 'yes', { by: 'ana' });
      assert.equal((await turn.result()).text, 'You get 10 %.');
    },
  ));

test('a turn sleeps until a parcel should have arrived, and a message wakes it', () =>
  withAgent([ask(['wait_until', { after: '3 days', reason: 'The chair arrives on Thursday.' }]), say('Good!')], async (agent) => {
    const session = agent.client.session('support-mara', { agent: 'support', ...mara });
    const turn = await session.started((await session.send('Where is my chair (A-1044)?')).turn_id);
    while ((await turn.status()).state !== 'sleeping') await new Promise((resolve) => setTimeout(resolve, 50));
    await session.steer('It has arrived.', { by: 'mara' });
    assert.equal((await turn.result()).text, 'Good!');
  }));
