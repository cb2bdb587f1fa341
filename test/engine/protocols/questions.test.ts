/** Questions of the model, through the protocols of front ends and other agents. */
import { askPerson } from '../../../src/tools/people/ask-person';
import { rita } from '../support/gateway-scene';
import { FrontEnd } from '../support/front-end';
import { dataOf, peer, send, data, stateOf, text } from '../support/peer';
import { protocolScene } from '../support/protocol-scene';
import { ask, say } from '../../support/scripted-model';

const question = { question: 'From which account?', choices: ['operations', 'reserve'] };
const setup = () => ({ tools: [askPerson()], script: [ask(['ask_person', question]), say('From operations.')] });

describe('a question of the model', () => {
  it('is an interrupt of an AG-UI run, and the requester may answer it', () =>
    protocolScene(setup(), async (scene) => {
      const front = new FrontEnd(scene, rita);
      await front.say('Pay the rent.');
      const [interrupt] = front.interrupts;
      expect(interrupt).toMatchObject({
        reason: 'input_required',
        message: 'From which account?',
        responseSchema: { properties: { value: { enum: question.choices } } },
        metadata: { holdfast: { kind: 'question', card: { question: 'From which account?' } } },
      });
      const answer = (payload: object) => front.answer({ interruptId: interrupt!.id, status: 'resolved', payload });
      await answer({ value: 'mine' }).catch(() => undefined);
      expect(front.end).toMatchObject({ type: 'RUN_ERROR', code: 'not_accepted' });
      await answer({ approved: true }).catch(() => undefined);
      expect(front.end).toMatchObject({ type: 'RUN_ERROR', code: 'bad_answer' });
      await answer({ value: 'operations' });
      expect(front.of('TOOL_CALL_RESULT' as never)).toMatchObject([{ content: expect.stringContaining('operations') }]);
      expect(front.end).toMatchObject({ type: 'RUN_FINISHED', result: { text: 'From operations.' } });
    }));

  it('makes an A2A task input-required, and a data part answers it', () =>
    protocolScene(setup(), async (scene) => {
      const client = await peer(scene, rita);
      const waiting = await send(client, [text('Pay the rent.')]);
      expect([stateOf(waiting), dataOf(waiting)[0].kind]).toEqual(['TASK_STATE_INPUT_REQUIRED', 'question']);
      const [{ call }] = dataOf(waiting);
      const answer = (value: string) => send(client, [data({ decision: 'answer', call, value })], { taskId: waiting.id });
      await expect(answer('mine')).rejects.toThrow('Not accepted');
      expect(stateOf(await answer('operations'))).toBe('TASK_STATE_COMPLETED');
    }));
});
