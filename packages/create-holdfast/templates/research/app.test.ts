import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, testAgent, type AgentTestOptions } from 'holdfast/testing';
import app, { researcher } from './app.js';

const BRIEF = {
  title: 'Returns',
  findings: [{ claim: 'Returns have doubled since September.', source: 'orders.csv' }],
  open_questions: ['Which cups have the new glue?'],
};

/** Runs a turn to its end; `asked`: what the model was shown last. */
async function run(script: AgentTestOptions['script']) {
  const agent = await testAgent(researcher, { script });
  try {
    const turn = await (await agent.start('Write a brief about returns.')).of(researcher).result();
    return { turn, asked: JSON.stringify(agent.model.requests.at(-1)!.messages) };
  } finally {
    await agent.close();
  }
}

test('a brief is data that has been read from the files', async () => {
  const { turn, asked } = await run([
    ask(['list_sources', {}]),
    ask(['read_source', { source: 'orders.csv' }]),
    ask(['give_result', BRIEF]),
  ]);
  assert.equal(turn.state, 'completed');
  assert.deepEqual(turn.data, BRIEF);
  assert.match(asked, /2026-11,1251,131/);
});

test('a brief without findings is not taken: the model is told, and corrects it', async () => {
  const { turn } = await run([ask(['give_result', { ...BRIEF, findings: [] }]), ask(['give_result', BRIEF])]);
  assert.deepEqual(turn.data, BRIEF);
});

test('no name leads out of the folder', async () => {
  const { asked } = await run([ask(['read_source', { source: '../package.json' }]), ask(['give_result', BRIEF])]);
  assert.match(asked, /INVALID_PARAMS/);
});

test('the brief of the morning is written on weekdays at seven', () => {
  assert.deepEqual(
    app.schedules?.map(({ name, cron, timezone }) => [name, cron, timezone]),
    [['morning', '0 7 * * 1-5', 'Europe/Berlin']],
  );
});
