/** Approvals of deputies: both verifiers judge each the same, also forged ones, and find each change of a character. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DecisionClaims } from '../../../../src/attestation/claims';
import { ownDecision, writeDeputyDecision } from '../../../../src/attestation/deputy-decision';
import { readSignedDeputyship } from '../../../../src/attestation/deputyship';
import type { SigningKey } from '../../../../src/attestation/signing-key';
import type { TrustEntry } from '../../../../src/attestation/trusted-keys';
import { Attestations } from '../../../../src/audit/verify/attestations';
import { approvedBy, named, namedByPasskey, steadOf } from '../../../support/deputies';
import { enrolled, passkeyDecision } from '../../../support/passkeys';
import { AUDIENCE as aud, Signers } from '../../../support/signers';
import { pythonVerifier } from '../../support/python-verifier';

const digest = 'a'.repeat(64);
const python = pythonVerifier();
const both = python === null ? 'ours (the second needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1, or its venv in the cache)' : 'both';

const JUDGE = `
import json, sys
sys.path.insert(0, sys.argv[1])
from verify_signatures import Signatures
from verify_values import ms
given = json.load(sys.stdin)
said = {"digest": given["digest"], "decision": "approve", "outcome": None, "by": "bob", "note": None}
holds = lambda token: bool(Signatures(given["trust"]).holds(token, said, given["aud"], ms(given["at"])))
print(json.dumps([holds(token) for token in given["tokens"]]))
`;

let signers: Signers;
let ana: SigningKey;
beforeAll(() => {
  signers = new Signers();
  ana = signers.person('ana', ['treasurer']);
});
afterAll(() => signers.remove());

/** Whether each holds; both say the same. */
function judged(tokens: string[]): boolean[] {
  const trust = JSON.parse(readFileSync(signers.trusted, 'utf8')) as TrustEntry[];
  const at = new Date().toISOString();
  const statement = { decision: 'approve', digest, note: null, outcome: null, by: 'bob', at };
  const ours = tokens.map((attestation) => new Attestations(trust).fault({ ...statement, attestation }, { ...aud }) === null);
  if (python === null) return ours;
  const folder = join(__dirname, '../../../../packages/verify/python');
  const input = JSON.stringify({ trust, at, tokens, aud, digest });
  expect(JSON.parse(execFileSync(python, ['-c', JUDGE, folder], { input, encoding: 'utf8' }))).toEqual(ours);
  return ours;
}

const approved = (statement: string, claims: Partial<DecisionClaims> = {}, key = signers.gateway) =>
  approvedBy(key, statement, { aud, digest, ...claims });

test(`what people, passkeys, enrollers and gateways signed for a deputy holds for ${both}`, () => {
  const enroller = signers.enroller();
  const [passkey, own] = [enrolled(enroller, { principal: 'ana' }), enrolled(enroller, { principal: 'bob', roles: [] })];
  const byPasskey = (statement: string) => {
    const claims = { ...steadOf(statement), aud, digest, v: 'holdfast.decision/6' as const, roles: ['treasurer'] };
    return writeDeputyDecision(statement, passkeyDecision(own, claims, {}));
  };
  const tokens = [
    approved(named(ana)),
    approved(named(ana), {}, signers.person('bob', [])),
    approved(namedByPasskey(passkey)),
    byPasskey(namedByPasskey(passkey)),
    byPasskey(named(ana)),
    approved(named(enroller)),
    approved(named(signers.gateway, {}, true)),
  ];
  expect(judged(tokens)).toEqual(tokens.map(() => true));
  const changed = [tokens[0]!, tokens[3]!].flatMap((text) =>
    Array.from({ length: Math.floor(text.length / 7) }, (_, index) => {
      const at = index * 7;
      return text.slice(0, at) + (text[at] === 'A' ? 'B' : 'A') + text.slice(at + 1);
    }),
  );
  expect(judged(changed)).toEqual(changed.map(() => false));
});

test(`forged, widened, transplanted, expired and revoked ones hold for none of ${both}`, () => {
  const now = Math.floor(Date.now() / 1000);
  const eve = signers.person('eve', ['treasurer']);
  const revoked = named(ana);
  signers.revokeDeputy(readSignedDeputyship(revoked)!.hash.slice(0, 16), new Date(Date.now() - 1000).toISOString());
  const tokens = [
    approved(named(eve)),
    approved(named(signers.gateway)),
    approved(named(ana, {}, true)),
    approved(named(signers.enroller(['auditor']))),
    approved(named(ana, { from: now - 100, until: now - 50 })),
    approved(named(ana, { from: now + 1000, until: now + 5000 })),
    approved(named(ana), { roles: ['cfo'] }),
    approved(named(ana, { roles: ['cfo'] }), { roles: ['cfo'] }),
    approved(named(ana, { deputy: 'carl' })),
    approved(named(ana), { on_behalf_of: 'dora' }),
    approved(named(ana), { deputyship: 'b'.repeat(64) }),
    approved(named(ana, { namespace: 'staging' })),
    ownDecision(approved(named(ana))),
    writeDeputyDecision(named(ana), ownDecision(approved(named(ana)))),
    approved(revoked),
  ];
  expect(judged(tokens)).toEqual(tokens.map(() => false));
});
