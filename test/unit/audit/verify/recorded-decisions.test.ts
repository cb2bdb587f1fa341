/** What people said: the approval or settlement of a call must have been given before (rules H4, H6 and B6). */
import { attestDecision, attestStart } from '../../../../src/attestation/bundle-signer';
import { CLOCKS_MS } from '../../../../src/attestation/trusted-keys';
import { RecordedDecisions } from '../../../../src/audit/verify/recorded-decisions';
import type { Json } from '../../../../src/shared/json/json';
import { ANA_KEY } from '../../../support/bundle-keys';
import { at, GONE, HandRun, payloads } from '../../../support/audit/hand-events';

const DIGEST = 'abcdef'.repeat(11).slice(0, 64);
const approve = { call: DIGEST, by: 'ana' };

function heard(tell: (run: HandRun) => void): RecordedDecisions {
  const said = new RecordedDecisions();
  tell(new HandRun((event) => said.read(event)));
  return said;
}
const signalled = (name: string, value: unknown = approve) => heard((run) => run.signal(name, value));

describe('a signal', () => {
  it('decides what its name says', () => {
    expect(signalled('approve').has('approve', DIGEST, 'ana')).toBe(true);
    expect(signalled('deny').has('deny', DIGEST, 'ana')).toBe(true);
    expect(signalled('deny').has('approve', DIGEST, 'ana')).toBe(false);
    expect(signalled('steer').has('steer', DIGEST, 'ana')).toBe(false);
    expect(signalled('deny', { ...approve, decision: 'approve' }).has('approve', DIGEST, 'ana')).toBe(false);
  });

  it('to another workflow decides nothing in this one', () => {
    const to = { signalName: 'approve', input: payloads(approve) };
    const said = heard((run) => run.tell('SIGNAL_EXTERNAL_WORKFLOW_EXECUTION_INITIATED', to));
    expect(said.has('approve', DIGEST, 'ana')).toBe(false);
  });

  it('that approves counts for an edit too', () => {
    expect(signalled('approve').has('edit', DIGEST, 'ana')).toBe(true);
    expect(signalled('deny').has('edit', DIGEST, 'ana')).toBe(false);
  });

  it('belongs to its sender; spelling variants of a name are the same name', () => {
    expect(signalled('approve').has('approve', DIGEST, ' ANA ')).toBe(true);
    expect(signalled('approve').has('approve', DIGEST, 'rob')).toBe(false);
    expect(signalled('approve', { call: DIGEST }).has('approve', DIGEST, undefined)).toBe(false);
    expect(signalled('approve', { call: DIGEST, by: 7 }).has('approve', DIGEST, '')).toBe(false);
  });

  it('belongs to its signer, if it is signed', () => {
    const aud = { namespace: 'n', workflow_id: 'turn/t', first_execution_run_id: 'r' };
    const claims = { aud, digest: DIGEST, decision: 'approve' as const, principal: 'ana', roles: [], head: null };
    const attestation = attestDecision(ANA_KEY, claims, null, Date.parse(at(0)));
    for (const signed of [attestation, [attestation]]) {
      const said = signalled('approve', { call: DIGEST, attestation: signed });
      expect([said.has('approve', DIGEST, 'ana'), said.has('approve', DIGEST, 'rob')]).toEqual([true, false]);
    }
    const start = { aud, requester: 'ana', agent: 'a', message_hash: DIGEST };
    for (const none of ['none', [7], attestStart(ANA_KEY, start, Date.parse(at(0)))])
      expect(signalled('approve', { call: DIGEST, attestation: none }).has('approve', DIGEST, 'ana')).toBe(false);
  });
});

describe('the calls of a decision', () => {
  const has = (value: Json, digest = DIGEST) => signalled('approve', value).has('approve', digest, 'ana');

  it('are named by at least twelve characters of their digests', () => {
    expect(has({ call: DIGEST.slice(0, 12), by: 'ana' })).toBe(true);
    expect(has({ call: DIGEST.slice(0, 11), by: 'ana' })).toBe(false);
    expect(has({ call: DIGEST.slice(0, 11), by: 'ana' }, DIGEST.slice(0, 11))).toBe(false);
    expect(has({ call: `${DIGEST.slice(0, 13)}0`, by: 'ana' })).toBe(false);
    expect(has({ call: `0${DIGEST.slice(0, 12)}`, by: 'ana' })).toBe(false);
  });

  it('may be several', () => {
    const other = 'f'.repeat(64);
    for (const digest of [DIGEST, other]) expect(has({ calls: [other, 7, DIGEST], by: 'ana' }, digest)).toBe(true);
    expect(has({ call: other, calls: [DIGEST], by: 'ana' })).toBe(true);
  });

  it('are none if the decision names none', () => {
    for (const value of [{ by: 'ana' }, null, 'text', { call: 7, by: 'ana' }] as Json[]) expect(has(value)).toBe(false);
  });

  it('keep every decision on them', () => {
    const said = heard((run) => {
      run.signal('approve', approve);
      run.signal('deny', { ...approve, by: 'rob' });
    });
    expect([said.has('approve', DIGEST, 'ana'), said.has('deny', DIGEST, 'rob')]).toEqual([true, true]);
    expect([said.has('deny', DIGEST, 'ana'), said.has('approve', DIGEST, 'rob')]).toEqual([false, false]);
  });
});

describe('an update', () => {
  const decide = { ...approve, decision: 'approve' };
  const has = (said: RecordedDecisions) => said.has('approve', DIGEST, 'ana');

  it('has the kind of its decision', () => {
    expect(has(heard((run) => run.update('decide', decide)))).toBe(true);
    expect(has(heard((run) => run.update('decide', { ...decide, decision: 'deny' })))).toBe(false);
    expect(has(heard((run) => run.update('send', decide)))).toBe(false);
  });

  it('counts if it was admitted or accepted', () => {
    const request = { input: { name: 'decide', args: { payloads: [] } } };
    const told = (type: string, attributes: object) => heard((run) => run.tell(type, attributes as never));
    const { input } = said();
    expect(has(told('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { request: { input } }))).toBe(true);
    expect(has(told('WORKFLOW_EXECUTION_UPDATE_ADMITTED', { request }))).toBe(false);
    expect(has(told('WORKFLOW_EXECUTION_UPDATE_REJECTED', { request: { input } }))).toBe(false);
  });
  const said = () => {
    let request: any;
    new HandRun((event) => (request = event)).update('decide', decide);
    return request.workflowExecutionUpdateAcceptedEventAttributes.acceptedRequest;
  };
});

describe('a decision that was left out', () => {
  it('may have had any content', () => {
    const said = signalled('approve', GONE);
    expect(said.has('deny', DIGEST, 'rob')).toBe(true);
    expect(said.hasSettlement('applied', DIGEST, 'rob')).toBe(true);
  });

  it('does not count under another name', () => expect(signalled('steer', GONE).has('deny', DIGEST, 'rob')).toBe(false));
});

describe('a settlement', () => {
  const settled = signalled('settle', { ...approve, outcome: 'applied' });

  it('records the outcome of the call', () => {
    expect(settled.hasSettlement('applied', DIGEST, 'ana')).toBe(true);
    expect(settled.hasSettlement('not_applied', DIGEST, 'ana')).toBe(false);
    expect(settled.hasSettlement('applied', DIGEST, 'rob')).toBe(false);
    expect(signalled('approve', { ...approve, outcome: 'applied' }).hasSettlement('applied', DIGEST, 'ana')).toBe(false);
  });
});

it('a decision that came later does not count', () => {
  const said = heard((run) => {
    run.signal('approve', approve, { seconds: 5 });
    run.signal('settle', { ...approve, outcome: 'applied' }, { seconds: 5 });
  });
  const until = (seconds: number) => {
    const time = { at: Date.parse(at(seconds)) - CLOCKS_MS, expires: Infinity };
    return [said.has('approve', DIGEST, 'ana', time), said.hasSettlement('applied', DIGEST, 'ana', time)];
  };
  expect([until(5), until(4.999)]).toEqual([
    [true, true],
    [false, false],
  ]);
});
