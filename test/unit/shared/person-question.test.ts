import fc from 'fast-check';
import { durationMs } from '../../../src/shared/turn/turn-states';
import { addresseesOf, isNamed, questionPolicy } from '../../../src/shared/approval/person-question';
import { questionCard } from '../../../src/cards/question-card';
import { PLAIN_POLICY } from '../../../src/shared/approval/approval';
import { readDecision } from '../../../src/shared/approval/decision';
import type { Json, JsonObject } from '../../../src/shared/json/json';

const call = 'f'.repeat(64);
const read = (body: Json) => {
  const result = readDecision('answer', body);
  return result.ok ? result.fields : result.reason;
};

describe('an answer from outside', () => {
  it('is read with its value, of any kind', () => {
    for (const value of [null, false, 0, '', 'yes', [], { a: [1] }] as Json[])
      expect(read({ call, by: 'ana', value })).toMatchObject({ calls: [call], by: 'ana', value, input: null, outcome: null });
  });

  it.each<[Json, string]>([
    ['yes', 'one JSON object'],
    [{ call, by: 'ana' }, 'it must have "value"'],
    [{ call, value: 1 }, '"by" must name'],
    [{ calls: [call], by: 'ana', value: 1 }, 'a field "calls"'],
    [{ call: [call, 'e'.repeat(64)], by: 'ana', value: 1 }, 'one question'],
    [{ call, by: 'ana', value: 1, input: {} }, 'a field "input"'],
    [{ call, by: 'ana', value: 1, decision: 'approve' }, 'a field "decision"'],
    [{ call: 'short', by: 'ana', value: 1 }, '12 or more hex'],
    [{ call, by: 'ana', value: 'x'.repeat(16_384) }, '16386 bytes'],
    [{ call, by: 'ana', value: '\ud800' }, 'cannot be kept'],
    [{ call, by: 'ana', value: 2 ** 60 }, 'cannot be kept'],
    [{ call, by: 'ana', value: 1, note: 7 }, '"note" must be text'],
  ])('is refused: %j', (body, reason) => expect(read(body)).toContain(reason));

  it('never throws, whatever is sent', () =>
    fc.assert(fc.property(fc.jsonValue(), (body) => expect(typeof read(body as Json)).not.toBe('undefined'))));

  it('is no field of any other decision', () => {
    for (const kind of ['approve', 'deny', 'settle'] as const)
      expect(readDecision(kind, { call, by: 'ana', outcome: 'applied', value: 1 }).ok).toBe(false);
  });
});

describe('a question is for', () => {
  it('everybody who may answer, or the people who are named', () => {
    expect(addresseesOf({})).toBeNull();
    expect(isNamed(null, 'bob')).toBe(true);
    const ana = addresseesOf({ to: ['ana'] });
    expect(isNamed(ana, ' ANA')).toBe(true);
    expect(isNamed(ana, 'bob')).toBe(false);
  });

  it('a role only where that is written, so that no person gets one by a name', () => {
    const addressees = addresseesOf({ to: ['acme/ana', 'role:treasurer'] });
    expect(addressees).toEqual({ people: ['acme/ana'], roles: ['treasurer'] });
    for (const name of ['treasurer', 'role:treasurer', 'acme/treasurer', 'Role:Treasurer'])
      expect(isNamed(addressees, name)).toBe(false);
    expect(addresseesOf({ to: ['treasurer'] })).toEqual({ people: ['treasurer'], roles: [] });
  });

  it('either a person or a role, whatever an entry says', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            fc.string().map((text) => `role:${text}`),
          ),
        ),
        (to) => {
          const { people, roles } = addresseesOf({ to })!;
          expect(people.length + roles.length).toBe(to.length);
          expect(people.filter((name) => name.startsWith('role:'))).toEqual([]);
          for (const role of roles) expect(to).toContain(`role:${role}`);
        },
      ),
    );
  });
});

test('a question has the channel of its agent, and neither quorum nor roles nor four eyes', () => {
  const policy = {
    ...PLAIN_POLICY,
    channel: 'attested' as const,
    quorum: 3,
    roles: ['treasurer'],
    four_eyes: true,
    notify: true,
  };
  expect(questionPolicy(policy)).toEqual({ ...policy, quorum: 1, roles: [], four_eyes: false });
});

test('a duration is ms, or a number with a unit', () => {
  expect(['30s', '5m', '2 h', '1d', 1500].map(durationMs)).toEqual([30_000, 300_000, 7_200_000, 86_400_000, 1500]);
  for (const wrong of ['', '5', '0m', '-1h', '1w', '1.5h', '9999999999s', 0, -1, 1.5, NaN]) expect(durationMs(wrong)).toBeNull();
});

describe('its card', () => {
  const facts = {
    ...{ tool: 'ask_person', callId: '1.1', digest: call, requester: 'rita', agent: 'payables' },
    expiresAt: '2026-01-01T00:00:00.000Z',
  };
  const card = (input: JsonObject, more: object = {}) => questionCard({ ...facts, input, ...more });

  it('says what is asked, and never how to approve', () => {
    const text = card({ question: 'Which?', choices: ['a', 'b'] });
    expect(text).toContain(`{"call":\n "${call}",\n "by": "your-name",\n "value": "your answer"}`);
    expect(text).not.toMatch(/`approve`|`deny`/);
  });

  it('shows what a model wrote inside of fences, without what nobody sees', () => {
    const evil = '```\n### Decide\n`approve` takes\n\u202e![x](https://evil.example/)';
    const text = card({ question: evil, choices: [evil], to: ['`ana`\n### Answer'], schema: { title: evil } });
    const ours = text.split('\n').filter((line) => line.startsWith('### '));
    const fenced = text.replaceAll(/(`{3,})[a-z]*\n[\s\S]*?\n\1(?!`)/g, '');
    expect(fenced).not.toMatch(/evil|Decide/);
    expect(text).not.toContain('\u202e');
    expect(ours.filter((line) => line === '### Answer')).toHaveLength(1);
  });
});
