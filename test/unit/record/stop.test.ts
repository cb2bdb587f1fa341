import { freezeOf, freezeText, readStop, withdrawalOf, type Freeze, type StopState } from '../../../src/record/stop';

const AT = '2026-01-01T10:00:00.000Z';
const frozen = (scope: Freeze['scope'], name = ''): StopState => ({
  freezes: [{ scope, name, at: AT, by: 'root', reason: 'why' }],
  withdrawals: [],
});
const call = { agent: 'payer', requester: 'acme/rita', tool: 'pay' };

describe('a freeze', () => {
  it.each<[Freeze['scope'], string, boolean]>([
    ['all', '', true],
    ['agent', 'payer', true],
    ['agent', 'pay', false],
    ['tool', 'pay', true],
    ['tool', 'payer', false],
    ['tenant', 'acme', true],
    ['tenant', 'ACME ', true],
    ['tenant', 'rita', false],
    ['tenant', 'ac', false],
  ])('of %s %s holds a call of acme/rita’s by agent payer with tool pay: %s', (scope, name, holds) => {
    expect(freezeOf(frozen(scope, name), call) !== null).toBe(holds);
  });

  it('of a tenant does not hold the operator’s own calls', () => {
    expect(freezeOf(frozen('tenant', 'rita'), { ...call, requester: 'rita' })).toBeNull();
  });

  it('of a scope that this build does not know holds every call', () => {
    expect(freezeOf(frozen('region' as Freeze['scope'], 'eu'), call)).not.toBeNull();
  });

  it.each([5, [], {}, { freezes: [] }, { freezes: [{}], withdrawals: [] }, { freezes: [], withdrawals: [7] }])(
    'holds every call if the register cannot be read: %j',
    (value) => {
      const freeze = freezeOf(readStop(value as never), call);
      expect(freezeText(freeze!)).toBe('every destructive call is frozen: the register kept/stop of the store cannot be read');
    },
  );

  it('is none in a store that never had one', () => {
    expect(readStop(null)).toEqual({ freezes: [], withdrawals: [] });
  });
});

describe('a withdrawal of approvals', () => {
  const state: StopState = { freezes: [], withdrawals: [{ approver: 'Ana', at: AT, by: 'root', reason: '' }] };
  const later = '2026-01-01T10:00:00.001Z';
  it.each<[string, Parameters<typeof withdrawalOf>[1], string | undefined, boolean]>([
    ['one up to then', { by: 'ana', at: AT }, undefined, true],
    ['one under another spelling', { by: ' ANA', at: AT }, undefined, true],
    ['a later one', { by: 'ana', at: later }, undefined, false],
    ['one of another person', { by: 'anabel', at: AT }, undefined, false],
    ['one that a deputy gave for her', { by: 'bob', on_behalf_of: 'ana', at: AT }, undefined, true],
    ['one that the store saw before, though history says later', { by: 'ana', at: later }, AT, true],
    ['one that the store saw later', { by: 'ana', at: AT }, later, false],
    ['one without a readable time', { by: 'ana', at: 'never' }, undefined, true],
  ])('concerns %s', (_, approval, verifiedAt, isWithdrawn) => {
    expect(withdrawalOf(state, approval, verifiedAt) !== null).toBe(isWithdrawn);
  });
});
