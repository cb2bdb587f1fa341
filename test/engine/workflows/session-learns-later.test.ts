/** A turn has ended, and its session does not know yet: a message or request of somebody who has seen the end counts as sent after it. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { ModelFailure } from '../../../src/model/provider';
import { RESUME_TEXT } from '../../../src/client/sessions/session-handle';
import { withEngine, type Engine } from '../support/engine';
import { say, ScriptedModel } from '../../support/scripted-model';
import { afterTurns, lines, replayedSession, talk } from '../support/sessions';

const failure = () => new ModelFailure('The key is bad.', { type: 'model.auth', retryable: false, status: 401 });

/** A session asks how a turn ended, and gets no answer until `learn()`. */
async function failedTurn(
  body: (of: { engine: Engine; model: ScriptedModel; session: Awaited<ReturnType<typeof open>>; learn(): void }) => Promise<void>,
) {
  let learn!: () => void;
  const learnt = new Promise<void>((resolve) => (learn = resolve));
  const late: ActivityInterceptorsFactory = ({ info }) => ({
    inbound: {
      async execute(input, next) {
        if (info.activityType === 'lookAtTurn') await learnt;
        return next(input);
      },
    },
  });
  const model = new ScriptedModel([failure(), say('two')]);
  await withEngine({ model, worker: { interceptors: { activity: [late] } } }, async (engine) => {
    const session = await open(engine);
    expect(await talk(session, '1')).toMatchObject({ state: 'failed' });
    await body({ engine, model, session, learn });
    await replayedSession(engine.client, session);
  });
}

function open({ client }: Engine) {
  return client.openSession({ agent: 'tester', id: `s-${randomBytes(5).toString('hex')}` });
}

it('a message to a session that does not yet know that its turn failed is answered, and not held', () =>
  failedTurn(async ({ session, learn }) => {
    const { turn_id } = await session.send('2');
    expect(await session.status()).toMatchObject({ running: { turn_id: `${session.id}.1` }, held: null });
    learn();
    expect(await (await session.started(turn_id)).result()).toMatchObject({ text: 'two' });
  }));

it('resuming such a session waits until it knows, and goes on', () =>
  failedTurn(async ({ model, session, learn }) => {
    const resumed = session.resume();
    await Promise.race([resumed, sleep(1000)]); // it is with the session by then
    learn();
    const { turn_id } = await resumed;
    expect(await (await session.started(turn_id)).result()).toMatchObject({ text: 'two' });
    expect(lines(model.requests[1]!)).toEqual(['user: 1', `user: ${RESUME_TEXT}`]);
    expect((await afterTurns(session, 2)).held).toBeNull();
  }));
