/** Why a signed decision or start does not count, to the millisecond, and in which words. */
import { attestDecision, attestStart, LONGEST_S } from '../../../src/attestation/bundle-signer';
import { type DecisionClaims, type StartClaims, readToken } from '../../../src/attestation/claims';
import type { SigningKey } from '../../../src/attestation/signing-key';
import { CLOCKS_MS } from '../../../src/attestation/trusted-keys';
import type { CheckDecisionInput } from '../../../src/shared/io/activities';
import { AUDIENCE as aud, SIGNED_TURN as turn, Signers } from '../../support/signers';

const HASH = 'a'.repeat(64);
const NOTE = 'b'.repeat(64);
const STORE = 'c'.repeat(32);
const NOW = Date.parse('2026-06-01T00:00:00.000Z');
const AT = new Date(NOW).toISOString();
const approval = { aud, digest: HASH, decision: 'approve' as const, principal: 'ana', roles: ['treasurer'], head: null };

let signers: Signers;
beforeEach(() => {
  signers = new Signers();
  signers.now = () => NOW;
  signers.change(signers.gateway, { created_at: '2026-01-01T00:00:00.000Z' });
});
afterEach(() => signers.remove());

/** Signed at NOW, valid for a minute; its fields may have another form. */
function signed(more: Record<string, unknown> = {}, key: SigningKey = signers.gateway): string {
  const { claims } = readToken(attestDecision(key, approval, new Date(NOW + 60_000).toISOString(), NOW))!;
  return key.token(JSON.parse(JSON.stringify({ ...(claims as object), ...more })) as object);
}

const check = (
  attestation: string,
  more: Partial<CheckDecisionInput> = {},
  roles: string[] = [],
  at: string | undefined = AT,
) => {
  const said = {
    turn,
    decision: 'approve',
    outcome: null,
    digest: HASH,
    tool: 'pay',
    attestation,
    input_hash: null,
    at: AT,
    ...more,
  };
  return signers.trust.check(said as CheckDecisionInput, roles, at);
};
const refused = (reason: string) => ({ ok: false, reason });
const ANA = { ok: true, principal: 'ana' };

describe('a signed decision', () => {
  it('is valid for a minute, or for a day at most and a second at least', () => {
    const { iat, exp, v, note_hash } = readToken(signed())!.claims as unknown as DecisionClaims;
    expect([iat, exp, v, note_hash]).toEqual([NOW / 1000, NOW / 1000 + 60, 'holdfast.decision/3', null]);
    const until = (ms: number | null) => {
      const text = ms === null ? null : new Date(ms).toISOString();
      return (readToken(attestDecision(signers.gateway, approval, text, NOW + 999))!.claims as unknown as DecisionClaims).exp;
    };
    expect(until(null)).toBe(NOW / 1000 + LONGEST_S);
    expect(until(NOW + 1_000_000_000)).toBe(NOW / 1000 + 86_400);
    expect(until(NOW - 1_000_000)).toBe(NOW / 1000 + 1);
    expect(until(NOW + 5001)).toBe(NOW / 1000 + 6);
  });

  it('is for this turn, this run, in this namespace', async () => {
    expect(await check(signed())).toEqual(ANA);
    for (const other of [{ namespace: 'x' }, { workflow_id: 'x' }, { first_execution_run_id: 'x' }])
      expect(await check(signed({ aud: { ...aud, ...other } }))).toEqual(refused('it was signed for another turn'));
  });

  it('is for the store that the turn is bound to', async () => {
    const bound = signed({ aud: { ...aud, store_id: STORE } });
    const over = (store_id: string) => ({ turn: { ...turn, store_id } });
    expect(await check(bound, over(STORE))).toEqual(ANA);
    expect(await check(signed(), over(STORE))).toEqual(
      refused('it was signed for a turn that is bound to no store (holdfast.decision/1); sign it again'),
    );
    expect(await check(bound)).toEqual(refused(`it was signed for a turn of store ${STORE}, but this turn is bound to no store`));
    expect(await check(bound, over('d'.repeat(32)))).toEqual(
      refused(`it was signed for a turn of store ${STORE}, but this turn is of store ${'d'.repeat(32)}`),
    );
  });

  it('is for this call, or for this message', async () => {
    const other = { digest: 'd'.repeat(64) };
    expect(await check(signed(), other)).toEqual(refused('it was signed for another call'));
    expect(await check(signed({ decision: 'steer' }), { ...other, decision: 'steer' })).toEqual(
      refused('it was signed for another message'),
    );
  });

  it('is for this decision, with this outcome and this input', async () => {
    expect(await check(signed(), { decision: 'deny' })).toEqual(refused('it was signed to approve, not to deny'));
    const settled = signed({ decision: 'settle', outcome: 'applied' });
    expect(await check(settled, { decision: 'settle', outcome: 'applied' })).toEqual(ANA);
    expect(await check(settled, { decision: 'settle' })).toEqual(refused('it was signed for the outcome applied'));
    expect(await check(signed(), { outcome: 'applied' })).toEqual(refused('it was signed for the outcome none'));
    const edited = signed({ decision: 'edit', input_hash: HASH });
    expect(await check(edited, { decision: 'edit', input_hash: HASH })).toEqual(ANA);
    expect(await check(edited, { decision: 'edit' })).toEqual(refused('it was signed for another input'));
    expect(await check(signed(), { input_hash: HASH })).toEqual(refused('it was signed for another input'));
  });

  it('has the note that was signed with it; before version 3 it has none', async () => {
    const other = refused('it was signed with another note, or with none');
    expect(await check(signed({ note_hash: NOTE }), { note_hash: NOTE })).toEqual(ANA);
    expect(await check(signed({ note_hash: NOTE }), { note_hash: HASH })).toEqual(other);
    expect(await check(signed({ note_hash: NOTE }), { note_hash: null })).toEqual(other);
    expect(await check(signed({ note_hash: NOTE }))).toEqual(other);
    expect(await check(signed(), { note_hash: NOTE })).toEqual(other);
    const older = signed({ v: 'holdfast.decision/1', note_hash: undefined });
    expect(await check(older)).toEqual(ANA);
    expect(await check(older, { note_hash: null })).toEqual(ANA);
    expect(await check(older, { note_hash: NOTE })).toEqual(
      refused('the note beside it is not signed (holdfast.decision/1); sign it again, with the note'),
    );
  });

  it('needs a person with one of the roles, unless it is a denial', async () => {
    expect(await check(signed(), {}, ['x', 'treasurer'])).toEqual(ANA);
    expect(await check(signed(), {}, ['clerk', 'auditor'])).toEqual(refused('"ana" has none of the roles clerk, auditor'));
    expect(await check(signed({ decision: 'deny' }), { decision: 'deny' }, ['clerk'])).toEqual(ANA);
    expect(await check(signed({ roles: [] }), {}, [])).toEqual(ANA);
  });

  it('by a person’s own key speaks for that person, in the roles that the file gives', async () => {
    const own = signers.person('Ana', ['treasurer']);
    signers.change(own, { created_at: AT });
    expect(await check(signed({}, own))).toEqual(ANA);
    expect(await check(signed({ principal: 'bob' }, own))).toEqual(refused(`key ${own.kid} speaks for "Ana" only`));
    expect(await check(signed({ roles: ['treasurer', 'admin'] }, own))).toEqual(
      refused(`key ${own.kid} does not give the role admin`),
    );
    signers.change(own, { roles: undefined });
    expect(await check(signed({ roles: [] }, own))).toEqual(ANA);
    expect(await check(signed({}, own))).toEqual(refused(`key ${own.kid} does not give the role treasurer`));
    signers.change(own, { principal: 'x'.repeat(200) });
    expect(await check(signed({}, own))).toEqual(refused(`key ${own.kid} speaks for "${'x'.repeat(100)}" only`));
    signers.change(own, { use: 'bundle', principal: undefined });
    expect(await check(signed({}, own))).toEqual(refused(`key ${own.kid} may sign bundles only`));
  });

  it('is not by a key that signs receipts of bundles, as if that were not there', async () => {
    const own = signers.person('ana', []);
    signers.change(own, { use: 'witness', principal: undefined, roles: undefined });
    expect(await check(signed({}, own))).toMatchObject({
      ok: false,
      reason: expect.stringContaining('is not trusted here') as string,
    });
  });

  it('is valid from its time, with a tolerance for clocks, until it expires', async () => {
    const s = NOW / 1000;
    const timed = (iat: number, exp: number, at?: string) => check(signed({ iat, exp }), {}, [], at);
    const future = refused('it was signed in the future; compare the clocks');
    expect(await timed(s + 60, s + 120)).toEqual(ANA);
    expect(await timed(s + 61, s + 120)).toEqual(future);
    expect(await timed(s - 60, s + 1)).toEqual(ANA);
    expect(await timed(s - 60, s)).toEqual(refused('it expired at 2026-06-01T00:00:00.000Z'));
    const odd = refused('its validity must be longer than zero and at most 24 hours');
    expect(await timed(s, s + 86_400)).toEqual(ANA);
    expect(await timed(s, s + 86_401)).toEqual(odd);
    expect(await timed(s, s)).toEqual(odd);
    expect(await timed(s, s - 1)).toEqual(odd);
    expect(await timed(s - 100, s - 10, new Date(NOW - 50_000).toISOString())).toEqual(ANA);
    expect(await timed(s - 100, s - 10)).toEqual(refused('it expired at 2026-05-31T23:59:50.000Z'));
    const said = { turn, decision: 'approve', outcome: null, digest: HASH, tool: 'pay', input_hash: null, at: AT };
    const late = { ...said, attestation: signed({ iat: s - 100, exp: s - 10 }) } as CheckDecisionInput;
    expect(await signers.trust.check(late, [])).toEqual(refused('it expired at 2026-05-31T23:59:50.000Z'));
  });

  it.each([undefined, null, 7, ['a']])('cannot be %j', async (junk) => {
    expect(await check(junk as never)).toEqual(refused('it does not have the format that `holdfast sign` writes for this'));
  });

  it('counts nowhere while the file of keys is broken, and the log says what to do', async () => {
    signers.break();
    await check(signed());
    expect(signers.errors).toEqual([
      expect.stringMatching(
        /^no trusted keys \{"error":"The file of trusted keys .*","todo":"Fix the file \(HOLDFAST_TRUSTED_KEYS\)\. Until then no signed decision counts\."\}$/,
      ),
    ]);
  });
});

describe('a key', () => {
  const iso = (ms: number) => new Date(ms).toISOString();
  it('is in force from its start, with a tolerance for clocks, until it expires or is revoked', async () => {
    const { gateway } = signers;
    const with_ = async (facts: object, at = AT) => {
      signers.change(gateway, { created_at: iso(NOW - 1000), expires_at: undefined, revoked_at: undefined, ...facts });
      return check(signed(), {}, [], at);
    };
    expect(await with_({ created_at: iso(NOW + CLOCKS_MS) })).toEqual(ANA);
    expect(await with_({ created_at: iso(NOW + CLOCKS_MS + 1) })).toEqual(
      refused(`key ${gateway.kid} is in force only from ${iso(NOW + 60_001)}`),
    );
    expect(await with_({ expires_at: iso(NOW + 1) })).toEqual(ANA);
    expect(await with_({ expires_at: iso(NOW) })).toEqual(refused(`key ${gateway.kid} expired at ${iso(NOW)}`));
    expect(await with_({ revoked_at: iso(NOW + 1) })).toEqual(ANA);
    expect(await with_({ revoked_at: iso(NOW) })).toEqual(refused(`key ${gateway.kid} was revoked at ${iso(NOW)}`));
  });

  it('that is revoked does not count for older statements either', async () => {
    signers.change(signers.gateway, { expires_at: iso(NOW), revoked_at: undefined });
    expect(await check(signed(), {}, [], iso(NOW - 1))).toEqual(ANA);
    signers.change(signers.gateway, { revoked_at: iso(NOW) });
    expect(await check(signed(), {}, [], iso(NOW - 1))).toMatchObject({ ok: false });
  });
});

describe('a signed start', () => {
  const claims = {
    aud: { namespace: 'default', workflow_id: 'turn/t1' },
    requester: 'rita',
    agent: 'payables',
    message_hash: HASH,
  };
  const start = (more: Partial<StartClaims> = {}, key = signers.gateway) => attestStart(key, { ...claims, ...more }, NOW);
  const said = { turn, agent: 'payables', message_hash: HASH };
  const checked = (attestation: string, more: object = {}) =>
    signers.trust.checkStart({ ...said, ...more, attestation } as never);

  it('is for this turn, or for its session, in this namespace', async () => {
    expect(await checked(start())).toBeNull();
    const other = 'it was signed for another turn';
    expect(await checked(start({ aud: { namespace: 'x', workflow_id: 'turn/t1' } }))).toBe(other);
    expect(await checked(start({ aud: { namespace: 'default', workflow_id: 'turn/t2' } }))).toBe(other);
    const ofSession = start({ aud: { namespace: 'default', workflow_id: 'session/s1' } });
    expect(await checked(ofSession, { turn: { ...turn, session_id: 's1' } })).toBeNull();
    expect(await checked(start(), { turn: { ...turn, session_id: 's1' } })).toBeNull();
    expect(await checked(ofSession, { turn: { ...turn, session_id: 's2' } })).toBe(other);
    expect(await checked(ofSession)).toBe(other);
    expect(await checked(start({ aud: { namespace: 'default', workflow_id: 'Stryker was here' } }))).toBe(other);
  });

  it('is for this requester, in any spelling of the name, for this agent and this message', async () => {
    expect(await checked(start({ requester: 'Rita' }))).toBeNull();
    expect(await checked(start({ requester: 'x'.repeat(200) }))).toBe(`it was signed for "${'x'.repeat(100)}"`);
    expect(await checked(start({ agent: 'other' }))).toBe('it was signed for agent "other"');
    expect(await checked(start({ message_hash: NOTE }))).toBe('it was signed for another message');
  });

  it('by a person’s own key is for that person only, and needs no role', async () => {
    const own = signers.person('rita', []);
    signers.change(own, { created_at: AT });
    expect(await checked(start({}, own))).toBeNull();
    const bob = signers.person('bob');
    signers.change(bob, { created_at: AT });
    expect(await checked(start({}, bob))).toBe(`key ${bob.kid} speaks for "bob" only`);
  });

  it('is checked as of its time', async () => {
    const later = NOW + 2 * 86_400_000;
    signers.now = () => later;
    expect(await checked(start(), { at: AT })).toBeNull();
    expect(await checked(start())).toBe('it expired at 2026-06-02T00:00:00.000Z');
  });
});
