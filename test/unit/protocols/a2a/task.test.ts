import { assert, jsonValue, property } from 'fast-check';
import { readMessage } from '../../../../src/protocols/a2a/message';
import { sdk } from '../../../../src/protocols/a2a/sdk';
import { isFinal, taskOf, taskState, type Standing } from '../../../../src/protocols/a2a/task';
import { TaskState } from '../../../support/a2a-sdk';
import { TURN_STATES } from '../../../../src/shared/turn/turn-states';

const standing = (more: Partial<Standing>): Standing => ({
  ...{ turnId: 's.1', state: 'running', text: '', reason: null, questions: [], unread: [], at: '2026-01-31T09:59:59.123Z' },
  ...more,
});

describe('the task of a turn', () => {
  it('has a state for every state of a turn, and is final exactly where the turn has ended', () => {
    const states = Object.fromEntries(TURN_STATES.map((state) => [state, TaskState[taskState(state)]]));
    expect(states).toMatchObject({
      running: 'TASK_STATE_WORKING',
      awaiting_approval: 'TASK_STATE_INPUT_REQUIRED',
      in_doubt: 'TASK_STATE_INPUT_REQUIRED',
    });
    expect(states).toMatchObject({
      completed: 'TASK_STATE_COMPLETED',
      refused: 'TASK_STATE_REJECTED',
      cancelled: 'TASK_STATE_CANCELED',
    });
    expect(states).toMatchObject({ failed: 'TASK_STATE_FAILED', limit: 'TASK_STATE_FAILED' });
    expect(states.awaiting_answer).toBe('TASK_STATE_INPUT_REQUIRED');
    expect(states.sleeping).toBe('TASK_STATE_WORKING');
    const open = ['TASK_STATE_WORKING', 'TASK_STATE_INPUT_REQUIRED'];
    for (const state of TURN_STATES)
      expect({ state, final: isFinal(state) }).toEqual({ state, final: !open.includes(states[state]!) });
    expect(TaskState[taskState('__proto__')]).toBe('TASK_STATE_WORKING');
  });

  it('has the session as its context; a turn without one is its own', () => {
    expect(taskOf(standing({}))).toMatchObject({ id: 's.1', contextId: 's', artifacts: [] });
    expect(taskOf(standing({ turnId: 'k_1' })).contextId).toBe('k_1');
    expect(taskOf(standing({ state: 'failed', reason: 'No model.' })).status!.message!.parts).toMatchObject([
      { content: { value: 'No model.' } },
    ]);
  });

  it('has the data that an agent gives as an artifact of its own, beside the text', () => {
    const { artifacts } = taskOf(standing({ state: 'completed', text: 'Read.', result: { cents: 7 } }));
    expect(artifacts).toMatchObject([
      { artifactId: 'answer', parts: [{ content: { $case: 'text', value: 'Read.' } }] },
      { artifactId: 'result', parts: [{ content: { $case: 'data', value: { cents: 7 } } }] },
    ]);
  });
});

describe('a message of an A2A client', () => {
  const read = (parts: object[], more: object = {}) =>
    readMessage(sdk.types().Message.fromJSON({ messageId: 'm', role: 'ROLE_USER', parts, ...more }));

  it('is text, or one decision', () => {
    expect(read([{ text: 'One' }, { text: 'two' }]).content).toEqual({ text: 'One\ntwo' });
    expect(read([{ data: { decision: 'deny', call: 'x' } }, { text: 'No.' }]).content).toEqual({
      decision: { decision: 'deny', call: 'x', note: 'No.' },
    });
    expect(read([{ data: { decision: 'deny', note: 'Mine.' } }, { text: 'No.' }]).content).toEqual({
      decision: { decision: 'deny', note: 'Mine.' },
    });
  });

  it('is refused, whatever it is, with an error of the protocol', () => {
    const { A2AError } = sdk.errors();
    assert(
      property(jsonValue(), jsonValue(), (part, id) => {
        try {
          const { content } = read([part as object], { messageId: id, taskId: id });
          expect('text' in content ? content.text.trim() : 'decision' in content.decision).toBeTruthy();
        } catch (error) {
          expect(error instanceof A2AError || error instanceof TypeError).toBe(true);
        }
      }),
    );
  });
});
