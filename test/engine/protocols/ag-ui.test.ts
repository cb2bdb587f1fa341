/** The AG-UI endpoint, with the protocol's own client. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ResumeEntry } from '@ag-ui/core';
import { EventSchemas } from '@ag-ui/core/schemas';
import { eventually } from '../support/engine';
import { ana, eve, invoice, rita, ron } from '../support/gateway-scene';
import { approved, denied, FrontEnd } from '../support/front-end';
import { protocolScene, vera } from '../support/protocol-scene';
import { ask, say } from '../../support/scripted-model';
import { pays, reads } from '../../support/tools';

describe('an AG-UI run', () => {
  it('is a turn of the session of its thread: its text, steps and calls come with arguments and results', () =>
    protocolScene(
      {
        tools: [reads('quote', () => ({ price: 7 }))],
        script: [ask(['quote', { key: 'AAPL' }]), say('It costs 7.'), say('Still 7.')],
      },
      async (scene) => {
        const front = new FrontEnd(scene, rita);
        await front.say('What does AAPL cost?');
        for (const event of front.events) expect(EventSchemas.parse(event)).toMatchObject({ type: event.type });
        expect(front.kinds()).toEqual([
          ...[
            'RUN_STARTED',
            'STEP_STARTED',
            'TOOL_CALL_START',
            'TOOL_CALL_ARGS',
            'TOOL_CALL_END',
            'TOOL_CALL_RESULT',
            'STEP_FINISHED',
          ],
          ...['STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END', 'STEP_FINISHED'],
          ...['STATE_SNAPSHOT', 'RUN_FINISHED'],
        ]);
        expect(front.of('TOOL_CALL_ARGS' as never)).toMatchObject([{ delta: '{"key":"AAPL"}' }]);
        expect(front.agent.messages.map(({ role, content }) => [role, content])).toEqual([
          ['user', 'What does AAPL cost?'],
          ['assistant', undefined],
          ['tool', expect.stringContaining('"price":7')],
          ['assistant', 'It costs 7.'],
        ]);
        expect(front.agent.state).toMatchObject({ turn: { state: 'completed', text: 'It costs 7.', requester: 'acme/rita' } });
        expect(front.end).toMatchObject({ outcome: { type: 'success' }, result: { state: 'completed', text: 'It costs 7.' } });
        const { turn_id, session_id } = front.agent.state.turn;
        await front.say('And now?');
        expect(front.agent.state.turn).toMatchObject({ session_id, turn_id: turn_id.replace(/\.1$/, '.2'), text: 'Still 7.' });
        // The conversation is the session's: what a client claims to have been said before is not read.
        expect(JSON.stringify(scene.model.requests[2]!.messages)).toContain('It costs 7.');
      },
    ));

  it('ends with an interrupt where a call waits; the next run approves it, and goes on with the same turn', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay INV-7.');
      const [interrupt] = front.interrupts;
      const { turn } = front.agent.state;
      expect(interrupt).toMatchObject({
        id: turn.pending[0],
        reason: 'tool_call',
        toolCallId: `${turn.turn_id}/1.1`,
        expiresAt: expect.stringMatching(/^20/),
        responseSchema: { required: ['approved'] },
        metadata: { holdfast: { kind: 'approval', card: { tool: 'pay', input: invoice, digest: turn.pending[0] } } },
      });
      expect(scene.effects).toEqual([]);
      await scene.restart();
      front.agent.url = `${scene.url()}/v1/ag-ui/tester`;
      await front.answer(approved(interrupt!));
      expect(front.kinds()).toEqual([
        ...['RUN_STARTED', 'TOOL_CALL_RESULT', 'STEP_STARTED', 'TEXT_MESSAGE_START', 'TEXT_MESSAGE_CONTENT', 'TEXT_MESSAGE_END'],
        ...['STEP_FINISHED', 'STATE_SNAPSHOT', 'RUN_FINISHED'],
      ]);
      expect(scene.effects).toEqual([invoice]);
      expect(front.agent.state.turn).toMatchObject({ turn_id: turn.turn_id, state: 'completed' });
      expect(front.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      const [{ by, attested }] = front.agent.state.turn.calls[0].approval.decisions;
      expect({ by, attested }).toEqual({ by: 'acme/vera', attested: true });
    }));

  it('tells the model of a denial, with its note; an answer that decides nothing leaves the call waiting', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay INV-7.');
      const [interrupt] = front.interrupts;
      await front.answer({ interruptId: interrupt!.id, status: 'cancelled' });
      expect(front.interrupts.map(({ id }) => id)).toEqual([interrupt!.id]);
      await front.answer(denied(interrupt!, 'Not this month.'));
      expect(front.of('TOOL_CALL_RESULT' as never)).toMatchObject([{ content: expect.stringContaining('Not this month.') }]);
      expect(JSON.stringify(scene.model.requests[1]!.messages)).toContain('Not this month.');
      expect(scene.effects).toEqual([]);
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', result: { state: 'refused' } });
    }));

  it('with another input is asked about anew, under another id', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay INV-7.');
      const [first] = front.interrupts;
      await front.answer(approved(first!, { editedArgs: { ...invoice, cents: 600 } }));
      const [second] = front.interrupts;
      expect(second!.id).not.toBe(first!.id);
      expect(second).toMatchObject({
        toolCallId: first!.toolCallId,
        metadata: { holdfast: { card: { input: { cents: 600 } } } },
      });
      await front.answer(approved(second!));
      expect(scene.effects).toEqual([{ ...invoice, cents: 600 }]);
    }));

  it('takes a decision only from an approver, and answers only for calls that wait', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, rita);
      await front.say('Pay INV-7.');
      const [interrupt] = front.interrupts;
      const cases: [ResumeEntry[], string][] = [
        [[approved(interrupt!)], 'role_missing'],
        [[], 'interrupts_open'],
        [[{ interruptId: 'f'.repeat(64), status: 'cancelled' }], 'answer_missing'],
        [[approved(interrupt!), { interruptId: 'f'.repeat(64), status: 'resolved', payload: { approved: true } }], 'not_waiting'],
        [[{ ...approved(interrupt!), payload: { approved: 'yes' } }], 'bad_answer'],
        [[{ ...approved(interrupt!), payload: { outcome: 'applied' } }], 'bad_answer'],
        [[approved(interrupt!), approved(interrupt!)], 'answered_twice'],
      ];
      for (const [resume, code] of cases) {
        const send = {
          threadId: front.agent.threadId,
          runId: randomBytes(6).toString('hex'),
          messages: [{ id: 'm', role: 'user', content: 'Now.' }],
        };
        // The same run again is refused again.
        for (let times = 0; times < 2; times += 1) {
          const response = await fetch(front.agent.url, {
            method: 'POST',
            headers: { ...rita.headers, 'content-type': 'application/json' },
            body: JSON.stringify({ ...send, ...(resume.length > 0 ? { resume } : {}) }),
          });
          const last = (await response.text()).trim().split('\n').at(-1)!.replace('data: ', '');
          expect(JSON.parse(last)).toMatchObject({ type: 'RUN_ERROR', code });
        }
      }
      expect(scene.effects).toEqual([]);
      // An approver of the tenant decides by the session's own id; other people find neither the thread nor the session.
      const { session_id, turn_id } = front.agent.state.turn;
      for (const [who, thread, code] of [
        [eve, session_id, 'unknown_thread'],
        [ron, session_id, 'unknown_thread'],
        [ana, front.agent.threadId, 'unknown_thread'],
      ] as const) {
        const other = new FrontEnd(scene, who, { thread });
        await other.answer(approved(interrupt!)).catch(() => undefined);
        expect(other.end).toMatchObject({ type: 'RUN_ERROR', code });
      }
      const approver = new FrontEnd(scene, ana, { thread: session_id });
      await approver.answer(approved(interrupt!));
      expect(approver.end).toMatchObject({ type: 'RUN_FINISHED', result: { turn_id, state: 'completed' } });
      expect(scene.effects).toEqual([invoice]);
    }));

  it('under four eyes does not take the approval of whoever started it', () =>
    protocolScene({ agent: {} }, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay INV-7.');
      const [interrupt] = front.interrupts;
      await front.answer(approved(interrupt!)).catch(() => undefined);
      expect(front.end).toMatchObject({ type: 'RUN_ERROR', code: 'not_accepted' });
      const approver = new FrontEnd(scene, ana, { thread: front.agent.state.turn.session_id });
      await approver.answer(approved(interrupt!));
      expect(approver.end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(scene.effects).toEqual([invoice]);
    }));

  it('that is sent again is the same turn, told from its beginning; under the id of another run it is refused', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay INV-7.', 'run-1');
      const { turn_id } = front.agent.state.turn;
      const [interrupt] = front.interrupts;
      await front.run({ runId: 'run-1' });
      expect(front.interrupts.map(({ id }) => id)).toEqual([interrupt!.id]);
      expect(front.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
      for (let times = 0; times < 2; times++) {
        await front.run({ runId: 'run-2', resume: [approved(interrupt!)] });
        expect(front.end).toMatchObject({ type: 'RUN_FINISHED', result: { turn_id, state: 'completed' } });
      }
      expect(front.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect(scene.effects).toEqual([invoice]);
      expect(scene.model.requests).toHaveLength(2);
      await front.run({ runId: 'run-1' }); // somebody has decided meanwhile: the run goes on to the turn's end
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      const other = new FrontEnd(scene, vera, { thread: front.agent.threadId });
      await other.say('Pay INV-8.', 'run-1').catch(() => undefined);
      expect(other.end).toMatchObject({ type: 'RUN_ERROR', code: 'run_used' });
    }));

  it('goes on after a lost connection: the turn runs by itself, and the same run tells all of it', () =>
    protocolScene({}, async (scene) => {
      const front = new FrontEnd(scene, vera);
      const lost = front.say('Pay INV-7.', 'run-1');
      await eventually('the run has begun', async () => front.kinds().includes('STEP_STARTED'));
      await scene.restart();
      await lost.catch(() => undefined);
      front.agent.url = `${scene.url()}/v1/ag-ui/tester`;
      await front.run({ runId: 'run-1' });
      const [interrupt] = front.interrupts;
      await front.answer(approved(interrupt!));
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
      expect(front.agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
      expect([scene.effects, scene.model.requests.length]).toEqual([[invoice], 2]);
    }));

  it('ends with an error if its turn failed; the client learns nothing of the gateway', () =>
    protocolScene({ script: [] }, async (scene) => {
      const front = new FrontEnd(scene, rita);
      await front.say('Hello.').catch(() => undefined);
      expect(front.end).toMatchObject({
        type: 'RUN_ERROR',
        code: 'failed',
        message: expect.stringContaining('script is exhausted'),
      });
      expect(front.agent.state.turn).toMatchObject({ state: 'failed' });
    }));

  it('does not use tools, context and state of the client, and says so; several calls wait together', () => {
    const effects: unknown[] = [];
    const script = [ask(['pay', invoice], ['pay', { ...invoice, invoice: 'INV-8' }]), say('Both.')];
    return protocolScene({ script, tools: [pays('pay', effects)] }, async (scene) => {
      const front = new FrontEnd(scene, vera);
      front.agent.state = { mine: true };
      front.agent.addMessage({ id: 'm', role: 'user', content: 'Pay both.' });
      const tools = [{ name: 'pay', description: 'Mine.', parameters: {} }];
      await front.run({ tools, context: [{ description: 'role', value: 'admin' }] });
      expect(front.of('CUSTOM' as never)).toContainEqual(
        expect.objectContaining({ name: 'holdfast.not_used', value: { tools: 1, context: 1, state: true } }),
      );
      expect(front.interrupts).toHaveLength(2);
      await front.answer(...front.interrupts.map((one) => approved(one)));
      expect(effects).toHaveLength(2);
      expect(front.of('TOOL_CALL_RESULT' as never)).toHaveLength(2);
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    });
  });

  it('ends with the interrupts of all calls of a step, although the preview of one takes longer', () => {
    const slow = pays('slow', [], { preview: () => sleep(1500, 'Pays later.') });
    const script = [ask(['pay', invoice], ['slow', invoice]), say('Both.')];
    return protocolScene({ script, tools: [pays('pay', []), slow] }, async (scene) => {
      const front = new FrontEnd(scene, vera);
      await front.say('Pay both.');
      expect(front.interrupts).toHaveLength(2);
    });
  });
});
