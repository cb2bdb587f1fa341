/** The conditions under which a decision counts, and which names are the same. */
import {
  decisionFault,
  PLAIN_POLICY,
  plainName,
  samePerson,
  SETTLEMENT_REFUSAL,
  stricter,
  type ApprovalPolicy,
  type OpenQuestion,
} from '../../../src/shared/approval/approval';

const DIGEST = 'd'.repeat(64);
const EXPIRES = '2026-01-01T00:00:10.000Z';
const NOW = Date.parse('2026-01-01T00:00:00.000Z');

function asked(policy: Partial<ApprovalPolicy> = {}, more: Partial<OpenQuestion> = {}): OpenQuestion {
  return { digest: DIGEST, policy: { ...PLAIN_POLICY, ...policy }, makers: ['rita'], expires_at: EXPIRES, said: [], ...more };
}

const by = (name: string, attested = false, kind: 'approve' | 'deny' | 'settle' = 'approve') => ({ kind, by: name, attested });

describe('a decision', () => {
  it('of anybody counts if nothing else is required', () => {
    expect(decisionFault(asked(), by('ana'), NOW)).toBeNull();
    expect(decisionFault(asked(), by('rita'), NOW)).toBeNull();
    expect(decisionFault(asked(), by('ana', true), NOW)).toBeNull();
  });

  it.each(['approve', 'deny', 'settle'] as const)(
    'to %s that is not signed does not count if signed ones are required',
    (kind) => {
      const fault = `call ${DIGEST} takes signed decisions only; \`holdfast sign\` makes one`;
      expect(decisionFault(asked({ channel: 'attested' }), by('ana', false, kind), NOW)).toBe(fault);
      expect(decisionFault(asked({ channel: 'attested' }), by('ana', true, kind), NOW)).toBeNull();
    },
  );

  it.each(['approve', 'deny', 'settle'] as const)('to %s counts until the call expires, and not after', (kind) => {
    const end = Date.parse(EXPIRES);
    expect(decisionFault(asked(), by('ana', false, kind), end)).toBeNull();
    expect(decisionFault(asked(), by('ana', false, kind), end + 1)).toBe(`call ${DIGEST} expired at ${EXPIRES}`);
    expect(decisionFault(asked({}, { expires_at: null }), by('ana', false, kind), end + 1)).toBeNull();
  });

  it('of a maker of the call does not count under four eyes, unless it is a denial', () => {
    const fault = (name: string) =>
      `${name} asked for call ${DIGEST}, changed it or steered the turn; somebody else has to decide`;
    const question = asked({ four_eyes: true }, { makers: ['rita', 'ed'] });
    for (const name of ['rita', 'ed', 'RITA ']) {
      expect(decisionFault(question, by(name), NOW)).toBe(fault(name));
      expect(decisionFault(question, by(name, false, 'settle'), NOW)).toBe(fault(name));
      expect(decisionFault(question, by(name, false, 'deny'), NOW)).toBeNull();
    }
    expect(decisionFault(question, by('ana'), NOW)).toBeNull();
  });

  it('of a schedule or a trigger counts only as a denial, however its name is written: it is no person', () => {
    const names = {
      schedule: ['schedule/morning', 'Schedule/morning', ' ＳＣＨＥＤＵＬＥ/morning'],
      trigger: ['trigger/github', 'TRIGGER/x'],
    };
    for (const [kind, name] of Object.entries(names).flatMap(([one, all]) => all.map((each) => [one, each] as const))) {
      const fault = `${name} is a ${kind}, and only people decide`;
      for (const kind of ['approve', 'settle'] as const) expect(decisionFault(asked(), by(name, true, kind), NOW)).toBe(fault);
      expect(decisionFault(asked(), { ...by('ana'), on_behalf_of: name }, NOW)).toBe(fault);
      expect(decisionFault(asked(), by(name, false, 'deny'), NOW)).toBeNull();
    }
    for (const name of ['schedule', 'trigger', 'triggers/x']) expect(decisionFault(asked(), by(name), NOW)).toBeNull();
    expect(decisionFault(asked(), by('acme/schedule/x'), NOW)).toBeNull();
  });

  it('of one person counts once, and his denial counts after any earlier decision', () => {
    const question = asked({ quorum: 2 }, { said: [{ by: 'ana' }, { by: 'bob' }] });
    expect(decisionFault(question, by('Ana'), NOW)).toBe(`Ana has decided on call ${DIGEST} already`);
    expect(decisionFault(question, by('bob'), NOW)).toBe(`bob has decided on call ${DIGEST} already`);
    expect(decisionFault(question, by('ana', false, 'deny'), NOW)).toBeNull();
    expect(decisionFault(question, by('cleo'), NOW)).toBeNull();
  });
});

describe('a name', () => {
  it.each([
    ['ana', 'ANA'],
    ['ana', '  ana '],
    ['ana maria', 'ana \t maria'],
    ['ana', 'a\u200bna'],
    ['ana', 'ａｎａ'],
    ['ang\u00e9', 'ange\u0301'],
    ['ang\u00e9', 'ange\u200b\u0301'],
  ])('%j is the same as %j', (a, b) => {
    expect(samePerson(a, b)).toBe(true);
  });

  it.each([
    ['ana', 'anna'],
    ['ana maria', 'anamaria'],
    ['ana', '\u0430na'],
    ['', 'ana'],
  ])('%j differs from %j', (a, b) => {
    expect(samePerson(a, b)).toBe(false);
  });

  it('is compared in one normal form', () => {
    expect(plainName(' A\u200bna \n  MARIA ')).toBe('ana maria');
  });
});

describe('the stricter of two policies', () => {
  const policy = (more: Partial<ApprovalPolicy>): ApprovalPolicy => ({ ...PLAIN_POLICY, ...more });

  it('requires everything that either of them requires', () => {
    expect(stricter(policy({ channel: 'attested' }), policy({})).channel).toBe('attested');
    expect(stricter(policy({}), policy({ channel: 'attested' })).channel).toBe('attested');
    expect(stricter(policy({}), policy({})).channel).toBe('any');
    expect(stricter(policy({ quorum: 3 }), policy({ quorum: 2 })).quorum).toBe(3);
    expect(stricter(policy({ quorum: 2 }), policy({ quorum: 3 })).quorum).toBe(3);
    expect(stricter(policy({ four_eyes: true }), policy({})).four_eyes).toBe(true);
    expect(stricter(policy({}), policy({ four_eyes: true })).four_eyes).toBe(true);
    expect(stricter(policy({}), policy({})).four_eyes).toBe(false);
  });

  it('has the roles of the present policy, or of the earlier one if there are none, and the other fields of the present policy', () => {
    expect(stricter(policy({ roles: ['old'] }), policy({ roles: ['new'] })).roles).toEqual(['new']);
    expect(stricter(policy({ roles: ['old'] }), policy({})).roles).toEqual(['old']);
    expect(stricter(policy({ remind_ms: [1], notify: true }), policy({ remind_ms: [2] }))).toMatchObject({
      remind_ms: [2],
      notify: false,
    });
  });

  it('of the plain policy and itself is the plain one', () => {
    expect(stricter(PLAIN_POLICY, PLAIN_POLICY)).toEqual({
      channel: 'any',
      quorum: 1,
      roles: [],
      four_eyes: false,
      remind_ms: [],
      notify: false,
    });
  });
});

it('the refusal of a settlement has the type that histories contain', () => {
  expect(SETTLEMENT_REFUSAL).toBe('holdfast.settlement_refused');
});
