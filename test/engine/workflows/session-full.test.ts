/**
 * The run of a session is full while its handlers still work, and a client resumes after a turn whose end the session has not seen:
 * the client waits until the session has looked at the turn, so the session must not wait for the client's answer first.
 */
import { randomBytes } from 'node:crypto';
import type { PayloadCodec } from '@temporalio/common';
import { temporal } from '@temporalio/proto';
import { startDevServer, type DevServer } from '../../../src/devserver/dev-server';
import { findTemporalCli } from '../../../src/devserver/find-cli';
import { ModelFailure } from '../../../src/model/provider';
import type { SendAnswer } from '../../../src/shared/turn/session';
import { SESSION_UPDATES } from '../../../src/workflows/contract';
import { say, ScriptedModel } from '../../support/scripted-model';
import { eventually, withEngine } from '../support/engine';
import { afterTurns, lines, replayedSession } from '../support/sessions';

/** Every workflow task but the first of a run finds it full. */
const SUGGESTED_AT = 5;
const INTERRUPTER = 'somebody-who-interrupts';
const { UPDATE_WORKFLOW_EXECUTION_LIFECYCLE_STAGE_ADMITTED: ADMITTED } =
  temporal.api.enums.v1.UpdateWorkflowExecutionLifecycleStage;

let server: DevServer;
beforeAll(async () => {
  const { path } = await findTemporalCli();
  const dynamicConfig = { 'limit.historyCount.suggestContinueAsNew': SUGGESTED_AT };
  server = await startDevServer({ cli: path, port: 0, headless: true, dynamicConfig });
});
afterAll(() => server.stop());

function gate() {
  let open!: () => void;
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { open, opened };
}

it('a session that is full looks at a turn that may be over before it goes on in another run', async () => {
  const [modelFails, interruptionIsTaken] = [gate(), gate()];
  let isBeingTaken = false;
  /** The worker reads the interruption for as long as the test wants: what comes meanwhile comes with the next workflow task. */
  const slow: PayloadCodec = {
    encode: async (payloads) => payloads,
    decode: async (payloads) => {
      if (payloads.some(({ data }) => Buffer.from(data ?? []).includes(INTERRUPTER))) {
        isBeingTaken = true;
        await interruptionIsTaken.opened;
      }
      return payloads;
    },
  };
  const failure = new ModelFailure('The key is bad.', { type: 'model.auth', retryable: false, status: 401 });
  const model = new ScriptedModel([failure, say('two')], async (index) => void (index === 0 && (await modelFails.opened)));
  const setup = { address: server.address, model, worker: { dataConverter: { payloadCodecs: [slow] } } };
  await withEngine(setup, async ({ client }) => {
    const session = await client.openSession({ agent: 'tester', requester: 'ana', id: `f-${randomBytes(5).toString('hex')}` });
    const { turn_id } = await session.send('1');
    const turn = await session.started(turn_id);
    await eventually('the model is asked', async () => model.requests.length === 1);
    const handle = client.temporal.workflow.getHandle(session.workflowId);
    await eventually('a run of the session waits for the turn', async () => {
      const { events } = await handle.fetchHistory();
      return events!.some(({ timerStartedEventAttributes }) => timerStartedEventAttributes);
    });

    const interrupted = handle
      .executeUpdate(SESSION_UPDATES.interrupt, { args: [{ by: INTERRUPTER }] })
      .catch((error: unknown) => error);
    await eventually('the worker reads the interruption', async () => isBeingTaken);
    modelFails.open();
    expect(await turn.result()).toMatchObject({ state: 'failed' });
    const message = { message_id: 'again', message: 'Go on.', requester: 'ana', resume: true };
    const resumed = handle.executeUpdate<SendAnswer, [object]>(SESSION_UPDATES.send, { args: [message], updateId: 'again' });
    await eventually('the server has the message', () => isAdmitted('again'));
    interruptionIsTaken.open();

    const answer = await resumed;
    expect(await (await session.started(answer.turn_id)).result()).toMatchObject({ text: 'two' });
    await interrupted;
    expect(lines(model.requests[1]!)).toEqual(['user: 1', 'user: Go on.']);
    await afterTurns(session, 2);
    await replayedSession(client, session);

    function isAdmitted(updateId: string): Promise<boolean> {
      const { workflowService, options } = client.temporal;
      const updateRef = { workflowExecution: { workflowId: session.workflowId }, updateId };
      const waitPolicy = { lifecycleStage: ADMITTED };
      const ask = workflowService.pollWorkflowExecutionUpdate({ namespace: options.namespace, updateRef, waitPolicy });
      return ask.then(
        () => true,
        () => false,
      );
    }
  });
});
