import fc from 'fast-check';
import { isTool } from '../../../../src/tools/define/tool';
import { checkInput } from '../../../../src/tools/admit/admit';
import { prepareTool } from '../../../../src/tools/catalogue/registry';
import { defineTool } from '../../../../src/tools/define/define';
import { askPerson } from '../../../../src/tools/people/ask-person';
import { answerFault, answerSchemaFault } from '../../../../src/tools/people/answer-schema';
import type { Json, JsonObject } from '../../../../src/shared/json/json';

const ask = prepareTool(askPerson());
const refused = (input: JsonObject, tool = ask) => {
  const result = checkInput(tool, input);
  return result.ok ? null : `${result.error.reason}: ${result.error.message}`;
};
const choices = (count: number) => Array.from({ length: count }, (_, index) => `choice ${index}`);

describe('ask_person takes a question', () => {
  it.each<[string, JsonObject]>([
    ['of one text', { question: 'Which account?' }],
    ['with choices', { question: 'Which?', choices: choices(20), to: ['ana', 'role:treasurer'] }],
    ['with a schema', { question: 'How much?', schema: { type: 'integer', minimum: 1 }, expires: '2h' }],
    ['of the longest text', { question: 'x'.repeat(4000), expires: 60_000 }],
  ])('%s', (_, input) => expect(refused(input)).toBeNull());

  it.each<[string, JsonObject, string]>([
    ['without a text', { question: ' \n' }, 'empty_question'],
    ['that is too long', { question: 'x'.repeat(4001) }, 'schema_violation'],
    ['with 21 choices', { question: 'Which?', choices: choices(21) }, 'schema_violation'],
    ['with a choice of 201 characters', { question: 'Which?', choices: ['x'.repeat(201)] }, 'schema_violation'],
    ['with a choice twice', { question: 'Which?', choices: ['a', 'a'] }, 'bad_choices'],
    ['with a blank choice', { question: 'Which?', choices: ['a', ' '] }, 'bad_choices'],
    ['with a person twice', { question: 'Which?', to: ['ana', 'ana'] }, 'bad_to'],
    ['for a role without a name', { question: 'Which?', to: ['ana', 'role:'] }, 'bad_to'],
    ['for a role that none can be', { question: 'Which?', to: ['role:the treasurer'] }, 'bad_to'],
    ['with choices and a schema', { question: 'Which?', choices: ['a'], schema: {} }, 'choices_and_schema'],
    ['with another field', { question: 'Which?', approved: true }, 'schema_violation'],
    ['that waits for a text', { question: 'Which?', expires: 'soon' }, 'bad_expires'],
    ['that waits for no time', { question: 'Which?', expires: 0 }, 'schema_violation'],
    ['that waits longer than the agent lets it', { question: 'Which?', expires: '8d' }, 'expires_too_late'],
  ])('but none %s', (_, input, reason) => expect(refused(input)).toContain(reason));

  it('and waits as long as it says, or as long as its agent', () => {
    const { question } = askPerson({ expiresMs: 5000 });
    const waits = (input: JsonObject) => question!.waitMs(input);
    expect([waits({}), waits({ expires: 7 }), waits({ expires: '3m' }), waits({ expires: '1 d' })]).toEqual([
      5000, 7, 180_000, 86_400_000,
    ]);
  });
});

test('askPerson names each wrong option, and its name is reserved', () => {
  expect(isTool(askPerson())).toBe(true);
  expect(() => askPerson({ expiresMs: 0, longestMs: 1.5 })).toThrow(/expiresMs is 0.*longestMs is 1.5/);
  expect(() => askPerson({ expiresMs: 2000, longestMs: 1000 })).toThrow('expiresMs is 2000, and longestMs is only 1000');
  expect(() => askPerson({ expires: 5 } as never)).toThrow('expires');
  const own = { version: '1.0.0', class: 'read' as const, description: 'Asks.', input: { type: 'object' }, run: () => ({}) };
  expect(() => defineTool({ name: 'ask_person', ...own })).toThrow('a tool that holdfast brings along');
});

describe('the schema of an answer', () => {
  it.each<[string, JsonObject, RegExp]>([
    ['that is too large', { description: 'x'.repeat(4000) }, /bytes; 4000 are allowed/],
    ['that is nested too deeply', nested(13), /nested deeper than 12/],
    ['that refers to another document', { $ref: 'https://evil.example/s.json' }, /has a \$ref/],
    ['that refers to itself', { properties: { a: { $ref: '#' } } }, /has a \$ref/],
    ['with a pattern that takes long', { type: 'string', pattern: '(a+)+\\1' }, /pattern .* linear time/],
    ['with an unknown keyword', { tpye: 'string' }, /keyword "tpye"/],
    ['that is no schema', { type: 'nothing' }, /schema/],
    ['that is looked up by name', { $id: 'https://evil.example/s', $anchor: 'x' }, /./],
  ])('is refused: one %s', (_, schema, reason) => expect(answerSchemaFault(schema)).toMatch(reason));

  it('is checked, and never throws, whatever a model writes and a person answers', () =>
    fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), async (schema, value) => {
        const fault = answerSchemaFault(schema as JsonObject);
        const answer = await answerFault({ question: 'q', schema: schema as JsonObject }, value as Json, 'rita');
        expect(fault === null || answer !== null).toBe(true);
      }),
    ));
});

describe('an answer', () => {
  const fault = (question: object, value: Json) => answerFault({ question: 'q', ...question }, value, 'rita');
  it('is one of the choices, fits the schema, or is a text', async () => {
    const schema = {
      type: 'object',
      properties: { cents: { type: 'integer' } },
      required: ['cents'],
      additionalProperties: false,
    };
    expect(await fault({ choices: ['a', 'b'] }, 'b')).toBeNull();
    expect(await fault({ choices: ['a', 'b'] }, 'B')).toBe('"value" must be one of "a", "b"');
    expect(await fault({ choices: ['1'] }, 1)).toContain('must be one of');
    expect(await fault({ schema }, { cents: 7 })).toBeNull();
    expect(await fault({ schema }, { cents: 7, approved: true })).toContain('additional properties');
    expect(await fault({ schema: { type: 'boolean' } }, false)).toBeNull();
    expect(await fault({}, 'anything')).toBeNull();
    expect(await fault({}, ' ')).toContain('must be a text');
    expect(await fault({}, { approve: true })).toContain('must be a text');
  });

  it('is bounded in bytes and depth, whatever the schema lets through', async () => {
    expect(await fault({ schema: {} }, 'x'.repeat(16_382))).toBeNull();
    expect(await fault({ schema: {} }, 'ä'.repeat(8_192))).toContain('16384 are allowed');
    expect(await fault({ schema: {} }, nested(21))).toContain('nested deeper than 20 levels');
  });
});

function nested(levels: number): JsonObject {
  return levels === 1 ? {} : { properties: nested(levels - 1) };
}
