import { DecisionNotAccepted } from '../../../../src/client/errors';
import type { TurnHandle } from '../../../../src/client/turns/turn-handle';
import { answerForm, questionElicitation } from '../../../../src/protocols/mcp/ask-question';
import type { Json, JsonObject } from '../../../../src/shared/json/json';

const DIGEST = 'd'.repeat(64);
const card = {
  kind: 'question',
  question: 'From which account?',
  choices: ['operations', 'reserve'],
  markdown: 'From which account?',
};
const ana = { name: 'acme/ana', roles: ['approver'] };

type Answer = { action: string; content?: JsonObject };

/** Puts the question to a user who answers so, one after the other. */
async function asked(of: object, answers: Answer[], send = async (_value: Json) => {}) {
  const messages: string[] = [];
  const sent: Json[] = [];
  const elicitInput = async ({ message }: { message: string }) => (messages.push(message), answers[messages.length - 1]!);
  const ask = questionElicitation({ elicitInput } as never, 1, {
    principal: ana,
    send: async (_turn, { digest, value }) => {
      expect(digest).toBe(DIGEST);
      sent.push(value);
      await send(value);
    },
  });
  const waiting = async () => ({ questions: [{ digest: DIGEST, card: { ...card, ...of } }], unread: [] });
  const why = await ask({ waiting } as unknown as TurnHandle, DIGEST, new AbortController().signal);
  return { why, messages, sent };
}

describe('a question of the model at an MCP client', () => {
  it('is asked with the whole card, and the answer is sent', async () => {
    const { why, messages, sent } = await asked({}, [{ action: 'accept', content: { answer: 'reserve', more: 1 } }]);
    expect({ why, sent }).toEqual({ why: null, sent: ['reserve'] });
    expect(messages).toEqual([expect.stringMatching(new RegExp(`approves nothing[^]*From which account\\?[^]*${DIGEST}`))]);
  });

  it.each(['decline', 'cancel'])('goes on waiting after %s', async (action) => {
    expect(await asked({}, [{ action }])).toMatchObject({ why: expect.stringContaining('did not answer'), sent: [] });
  });

  it('is not asked of somebody whom it is not for, and not if its card cannot be shown', async () => {
    for (const changed of [
      { to: ['role:treasurer', 'approver', 'ben'] },
      { question: undefined },
      { markdown: 'word '.repeat(3000) },
    ]) {
      const { why, messages, sent } = await asked(changed, []);
      expect({ messages, sent }).toEqual({ messages: [], sent: [] });
      expect(why).toMatch(/somebody else|cannot/);
    }
    expect((await asked({ to: ['role:approver'] }, [{ action: 'accept', content: { answer: 'reserve' } }])).why).toBeNull();
  });

  it('is asked again with the reason if an answer does not fit, but not for ever', async () => {
    const wrong = { action: 'accept', content: { answer: 'mine' } };
    const refuse = async (value: Json) => {
      if (value === 'mine') throw new DecisionNotAccepted('Not accepted: one of operations, reserve.');
    };
    const { why, messages, sent } = await asked({}, [wrong, { action: 'accept', content: { answer: 'reserve' } }], refuse);
    expect({ why, sent }).toEqual({ why: null, sent: ['mine', 'reserve'] });
    expect(messages[1]).toMatch(/^Not accepted: one of operations/);
    const stubborn = await asked({}, [wrong, wrong, wrong, wrong], refuse);
    expect([stubborn.why, stubborn.sent.length]).toEqual(['Not accepted: one of operations, reserve.', 3]);
  });
});

describe('the form of a question', () => {
  it.each<[string, object, JsonObject, JsonObject, Json]>([
    ['choices', { choices: ['a', 'b'] }, { answer: { type: 'string', title: 'Answer', enum: ['a', 'b'] } }, { answer: 'b' }, 'b'],
    ['a text', {}, { answer: { type: 'string', title: 'Answer', minLength: 1 } }, { answer: 'so' }, 'so'],
    [
      'a number',
      { schema: { type: 'integer', maximum: 9 } },
      { answer: { title: 'Answer', type: 'integer', maximum: 9 } },
      { answer: 3 },
      3,
    ],
    [
      'an object',
      { schema: { type: 'object', properties: { day: { type: 'integer' }, ok: { type: 'boolean' } }, required: ['day'] } },
      { day: { type: 'integer' }, ok: { type: 'boolean' } },
      { day: 1, unasked: 'x' },
      { day: 1 },
    ],
  ])('of %s has a field for each value, and sends only those', (_, of, properties, content, value) => {
    const form = answerForm(of);
    expect(form.schema.properties).toEqual(properties);
    expect(form.value(content)).toEqual(value);
  });

  it('of what no form can show takes JSON', () => {
    const schema = { type: 'object', properties: { lines: { type: 'array', items: { type: 'object' } } } };
    const form = answerForm({ schema });
    expect(JSON.stringify(form.schema.properties)).toContain('As JSON, of this schema');
    expect(form.value({ answer: '{"lines":[]}' })).toEqual({ lines: [] });
    expect(() => form.value({ answer: 'not JSON' })).toThrow();
  });
});
