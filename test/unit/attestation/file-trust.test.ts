import fc from 'fast-check';
import { attestDecision, attestStart } from '../../../src/attestation/bundle-signer';
import { type DecisionClaims, readToken, writeToken } from '../../../src/attestation/claims';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { CheckDecisionInput } from '../../../src/shared/io/activities';
import { steerDigest } from '../../../src/shared/approval/decision';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';
import { runs } from '../../support/runs';

const HASH = 'a'.repeat(64);
const approval = { aud, digest: HASH, decision: 'approve' as const, principal: 'ana', roles: ['treasurer'], head: null };

describe('a signed decision', () => {
  let signers: Signers;
  beforeEach(() => void (signers = new Signers()));
  afterEach(() => signers.remove());

  const asked = (attestation: string, more: Partial<CheckDecisionInput> = {}): CheckDecisionInput => ({
    turn,
    decision: 'approve',
    outcome: null,
    digest: HASH,
    tool: 'pay',
    attestation,
    input_hash: null,
    at: new Date().toISOString(),
    ...more,
  });
  const check = (attestation: string, more: Partial<CheckDecisionInput> = {}, roles: string[] = []) =>
    signers.trust.check(asked(attestation, more), roles);
  const signed = (more: Partial<DecisionClaims> = {}, key = signers.gateway) =>
    attestDecision(key, { ...approval, ...more }, null);
  const refused = (reason: string) => ({ ok: false, reason: expect.stringContaining(reason) });

  it('by a gateway counts for the principal that it names', async () => {
    expect(await check(signed())).toEqual({ ok: true, principal: 'ana' });
    expect(await check(signed(), {}, ['auditor', 'treasurer'])).toEqual({ ok: true, principal: 'ana' });
  });

  it('is one text: no byte of it can be changed', async () => {
    const token = signed();
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...'ABCxyz019-_.=+/ \n'), async (at, char) => {
        fc.pre(token[at] !== char);
        expect(await check(token.slice(0, at) + char + token.slice(at + 1))).toMatchObject({ ok: false });
      }),
      { numRuns: runs(100, 300) },
    );
    expect(await check(`${token} `)).toMatchObject({ ok: false });
    expect(await check(`${token}A`)).toMatchObject({ ok: false });
  });

  it('has no field that could be changed, left out or added under the same signature', async () => {
    const { claims, signature } = readToken(signed())!;
    const names = Object.keys(claims as object);
    expect(names.sort()).toEqual(
      ['aud', 'decision', 'digest', 'exp', 'head', 'iat', 'kid', 'nonce', 'note_hash', 'principal', 'roles', 'v'].sort(),
    );
    const values = fc.oneof(
      fc.jsonValue() as fc.Arbitrary<any>,
      fc.constantFrom('deny', 'bob', HASH, 'b'.repeat(64), [], ['admin']),
    );
    const forged = fc.oneof(
      fc.tuple(fc.constantFrom(...names), values).map(([name, value]) => ({ ...(claims as object), [name]: value })),
      fc
        .constantFrom(...names)
        .map((name) => Object.fromEntries(Object.entries(claims as object).filter(([key]) => key !== name))),
      fc
        .tuple(fc.constantFrom('outcome', 'input_hash', 'extra', 'constructor'), values)
        .map(([name, value]) => ({ ...(claims as object), [name]: value })),
    );
    await fc.assert(
      fc.asyncProperty(forged, async (other) => {
        const text = JSON.stringify(Object.fromEntries(Object.entries(other).sort(([a], [b]) => (a < b ? -1 : 1))));
        const token = `${Buffer.from(text).toString('base64url')}.${signature.toString('base64url')}`;
        fc.pre(token !== writeToken(claims, signature));
        expect(await check(token)).toMatchObject({ ok: false });
      }),
      { numRuns: runs(100, 500) },
    );
  });

  it.each<[string, Partial<CheckDecisionInput>, string]>([
    ['another call', { digest: 'b'.repeat(64) }, 'another call'],
    ['another turn', { turn: { ...turn, workflow_id: 'turn/t2' } }, 'another turn'],
    ['another run of the same id', { turn: { ...turn, first_execution_run_id: 'run-2' } }, 'another turn'],
    ['a denial', { decision: 'deny' }, 'to approve, not to deny'],
    ['an edit', { decision: 'edit', input_hash: 'c'.repeat(64) }, 'to approve, not to edit'],
    ['a settlement', { decision: 'settle', outcome: 'applied' }, 'to approve, not to settle'],
    ['a message to the turn', { decision: 'steer' }, 'to approve, not to steer'],
  ])('to approve one call is not valid for %s', async (_what, more, reason) => {
    expect(await check(signed(), more)).toEqual(refused(reason));
  });

  it('to edit is valid for that input only, and approves nothing', async () => {
    const edit = signed({ decision: 'edit', input_hash: HASH });
    expect(await check(edit, { decision: 'edit', input_hash: HASH })).toMatchObject({ ok: true });
    expect(await check(edit, { decision: 'edit', input_hash: 'd'.repeat(64) })).toEqual(refused('another input'));
    expect(await check(edit)).toEqual(refused('to edit, not to approve'));
    // An approval that says what input it had in mind has no meaning: it is none.
    expect(await check(signed({ input_hash: HASH }))).toEqual(refused('form'));
  });

  it('to settle is valid for that outcome only', async () => {
    const settle = signed({ decision: 'settle', outcome: 'applied' });
    expect(await check(settle, { decision: 'settle', outcome: 'applied' })).toMatchObject({ ok: true });
    expect(await check(settle, { decision: 'settle', outcome: 'not_applied' })).toEqual(refused('outcome applied'));
    expect(await check(signed({ decision: 'settle' }), { decision: 'settle', outcome: 'applied' })).toEqual(refused('form'));
  });

  it('to send a message to the turn is valid for that text only, needs no role, and approves nothing', async () => {
    const steer = signed({ decision: 'steer', digest: steerDigest('Stop.'), roles: [] });
    expect(await check(steer, { decision: 'steer', digest: steerDigest('Stop.'), tool: '' })).toMatchObject({ ok: true });
    expect(await check(steer, { decision: 'steer', digest: steerDigest('Go.') })).toEqual(refused('another message'));
    expect(await check(steer, { digest: steerDigest('Stop.') })).toEqual(refused('to steer, not to approve'));
    expect(await check(signed({ decision: 'steer', outcome: 'applied' }), { decision: 'steer' })).toEqual(refused('form'));
  });

  it('in another namespace is not valid', async () => {
    expect(await check(signed({ aud: { ...aud, namespace: 'prod' } }))).toEqual(refused('another turn'));
  });

  it('needs one of the required roles, unless it is a denial', async () => {
    expect(await check(signed({ roles: ['clerk'] }), {}, ['treasurer'])).toEqual(refused('none of the roles treasurer'));
    expect(await check(signed({ decision: 'deny', roles: [] }), { decision: 'deny' }, ['treasurer'])).toMatchObject({ ok: true });
    const edit = signed({ decision: 'edit', input_hash: HASH, roles: [] });
    expect(await check(edit, { decision: 'edit', input_hash: HASH }, ['treasurer'])).toEqual(refused('none of the roles'));
  });

  it('by a principal’s own key speaks for that principal only, and only in roles that the file gives', async () => {
    const own = signers.person('Ana', ['treasurer']);
    expect(await check(signed({}, own))).toMatchObject({ ok: true });
    expect(await check(signed({ principal: 'bob' }, own))).toEqual(refused('speaks for "Ana" only'));
    expect(await check(signed({ roles: ['treasurer', 'admin'] }, own))).toEqual(refused('does not give the role admin'));
  });

  it('by an unknown key, or under the id of somebody else’s key, is refused', async () => {
    const strange = SigningKey.generate();
    expect(await check(signed({}, strange))).toEqual(refused(`key ${strange.kid} is not trusted`));
    const { claims } = readToken(signed({}, strange))!;
    const posing = { ...(claims as object), kid: signers.gateway.kid };
    expect(await check(strange.token(posing))).toEqual(refused('signature is not right'));
  });

  it('counts from when its key is in force until the key is revoked or expires, and then no more at once', async () => {
    const key = signers.person('ana');
    const token = signed({ roles: [] }, key);
    expect(await check(token)).toMatchObject({ ok: true });
    signers.change(key, { revoked_at: new Date(Date.now() - 1).toISOString() });
    expect(await check(token)).toEqual(refused('was revoked at'));
    const old = signers.person('ana');
    signers.change(old, { expires_at: new Date(Date.now() - 1).toISOString() });
    expect(await check(signed({ roles: [] }, old))).toEqual(refused(`key ${old.kid} expired`));
    const next = signers.person('ana');
    signers.change(next, { created_at: new Date(Date.now() + 3_600_000).toISOString() });
    expect(await check(signed({ roles: [] }, next))).toEqual(refused('in force only from'));
  });

  it('is not from the future, has not expired, and is valid for a day at most', async () => {
    const now = Math.floor(Date.now() / 1000);
    const timed = (iat: number, exp: number) => {
      const { claims } = readToken(signed())!;
      return signers.gateway.token({ ...(claims as object), iat, exp });
    };
    expect(await check(timed(now, now + 60))).toMatchObject({ ok: true });
    expect(await check(timed(now + 30, now + 60))).toMatchObject({ ok: true }); // clocks differ
    expect(await check(timed(now + 600, now + 660))).toEqual(refused('in the future'));
    expect(await check(timed(now - 600, now - 1))).toEqual(refused('it expired at'));
    expect(await check(timed(now - 10, now + 24 * 3600))).toEqual(refused('at most 24 hours'));
    expect(await check(timed(now, now))).toEqual(refused('longer than zero'));
  });

  it('is never valid for longer than the call waits', () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const { claims } = readToken(attestDecision(signers.gateway, approval, until))!;
    const { iat, exp } = claims as unknown as DecisionClaims;
    expect(exp).toBe(Math.ceil(Date.parse(until) / 1000));
    const far = readToken(attestDecision(signers.gateway, approval, '2099-01-01T00:00:00Z'))!.claims as unknown as DecisionClaims;
    expect(far.exp - far.iat).toBe(24 * 3600);
    expect(exp).toBeGreaterThan(iat);
  });

  it('in any other spelling of the same claims is refused: what is signed has one form', async () => {
    const claims = readToken(signed())!.claims as object;
    const spelled = JSON.stringify({ z: 0, ...claims }).replace('"z":0,', '');
    const bytes = Buffer.from(` ${spelled}`);
    const token = `${bytes.toString('base64url')}.${Buffer.alloc(64, 1).toString('base64url')}`;
    expect(readToken(token)).toBeNull();
    expect(await check(token)).toEqual(refused('form'));
  });

  it.each(['', '.', 'a.b', '..', 'x'.repeat(5000), `${'A'.repeat(4000)}.${'A'.repeat(86)}`, '💥', '{"__proto__":1}'])(
    'cannot be %j, and nothing is thrown',
    async (junk) => {
      expect(await check(junk)).toMatchObject({ ok: false });
      expect(await check(junk as never, {}, ['treasurer'])).toMatchObject({ ok: false });
    },
  );

  it('counts nowhere while the file of keys is broken or missing, and the log says so', async () => {
    const broken = new Signers();
    const token = attestDecision(broken.gateway, approval, null);
    expect(await broken.trust.check(asked(token), [])).toMatchObject({ ok: true });
    broken.break();
    expect(await broken.trust.check(asked(token), [])).toEqual(refused('cannot read its file of trusted keys'));
    expect(broken.errors[0]).toContain('cannot be used');
    broken.remove();
    expect(await broken.trust.check(asked(token), [])).toEqual(refused('cannot read its file'));
    expect(broken.errors[1]).toContain('holdfast keys create');
  });

  it('is not accepted as a signed start, nor a signed start as a decision', async () => {
    const start = attestStart(signers.gateway, {
      aud: { namespace: 'default', workflow_id: 'turn/t1' },
      requester: 'rita',
      agent: 'payables',
      message_hash: HASH,
    });
    expect(await check(start)).toEqual(refused('form'));
    const said = { turn, agent: 'payables', message_hash: HASH };
    expect(await signers.trust.checkStart({ ...said, attestation: start })).toBeNull();
    expect(await signers.trust.checkStart({ ...said, attestation: signed() })).toContain('form');
    expect(await signers.trust.checkStart({ ...said, message_hash: 'b'.repeat(64), attestation: start })).toContain(
      'another message',
    );
    expect(await signers.trust.checkStart({ ...said, agent: 'x', attestation: start })).toContain('for agent "payables"');
    const others = { ...turn, requester: 'mallory' };
    expect(await signers.trust.checkStart({ ...said, turn: others, attestation: start })).toContain('for "rita"');
    const elsewhere = { ...turn, workflow_id: 'turn/t9' };
    expect(await signers.trust.checkStart({ ...said, turn: elsewhere, attestation: start })).toContain('another turn');
  });
});
