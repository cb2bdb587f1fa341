/** What the page tells a person who cannot approve a call. */
import { obstacleFor, steadsFor } from '../../../packages/page/src/lib/your-part';
import type { Question } from '../../../src/shapes/turn-view';

const at = '2026-01-31T12:00:00.000Z';
const BEFORE = Date.parse(at) - 1;
const AFTER = Date.parse(at);
const policy = { channel: 'attested' as const, quorum: 2, roles: ['treasurer'], four_eyes: true };
const escalations = [{ at, roles: ['cfo'] }];

function question(card: object = {}, by: string[] = []): Question {
  return { card: { kind: 'approval', requester: 'rita', makers: ['eve'], policy, ...card }, approval: { by } } as never;
}
const ana = { principal: 'ana', roles: ['approver', 'treasurer'] };
const kim = { principal: 'kim', roles: ['approver', 'cfo'] };

it('nothing keeps somebody with the role', () => {
  expect(obstacleFor(ana, question(), BEFORE)).toBeNull();
  expect(obstacleFor(kim, question({ policy: { ...policy, roles: [] } }), BEFORE)).toBeNull();
});

it('who asked, changed or steered may not approve, and nobody twice', () => {
  for (const principal of ['rita', 'eve'])
    expect(obstacleFor({ ...ana, principal }, question(), BEFORE)).toEqual({ is: 'maker' });
  const alone = question({ policy: { ...policy, four_eyes: false } });
  expect(obstacleFor({ ...ana, principal: 'rita' }, alone, BEFORE)).toBeNull();
  expect(obstacleFor(ana, question({}, ['ana']), BEFORE)).toEqual({ is: 'decided' });
});

it('a person of an escalation is told from when on, and is kept from nothing once it is due', () => {
  const escalating = question({ policy: { ...policy, escalations } });
  expect(obstacleFor(kim, escalating, BEFORE)).toEqual({ is: 'roles', roles: ['treasurer'], from: at });
  expect(obstacleFor(kim, escalating, AFTER)).toBeNull();
  const guest = { principal: 'gus', roles: ['approver'] };
  expect(obstacleFor(guest, escalating, AFTER)).toEqual({ is: 'roles', roles: ['treasurer', 'cfo'], from: null });
});

it('a call in doubt is for the original roles only', () => {
  const inDoubt = question({ kind: 'in_doubt', policy: { ...policy, escalations } });
  expect(obstacleFor(kim, inDoubt, AFTER)).toEqual({ is: 'roles', roles: ['treasurer'], from: null });
});

it('a deputy decides for those who may approve the call themselves, and for nobody with whom the deputy is one already', () => {
  const gus = { principal: 'gus', roles: ['approver'] };
  const stead = { for: 'ana', roles: ['treasurer'], agents: null, tools: null, proof: 'signed' as const };
  const waiting = question({ tool: 'pay', agent: 'payables' });
  expect(steadsFor(gus, [stead], waiting, BEFORE)).toEqual(['ana']);
  expect(steadsFor(gus, [{ ...stead, proof: 'record' }], waiting, BEFORE)).toEqual([]);
  expect(steadsFor(gus, [{ ...stead, roles: ['auditor'] }], waiting, BEFORE)).toEqual([]);
  expect(steadsFor(gus, [{ ...stead, tools: ['send'] }], waiting, BEFORE)).toEqual([]);
  expect(steadsFor(gus, [{ ...stead, agents: ['payables'] }], waiting, BEFORE)).toEqual(['ana']);
  expect(steadsFor(gus, [{ ...stead, agents: ['support'] }], waiting, BEFORE)).toEqual([]);
  expect(steadsFor(gus, [{ ...stead, for: 'rita' }], waiting, BEFORE)).toEqual([]);
  expect(steadsFor({ ...gus, principal: 'eve' }, [stead], waiting, BEFORE)).toEqual([]);
  expect(steadsFor(gus, [stead], question({ tool: 'pay' }, ['ana']), BEFORE)).toEqual([]);
  const decisions = [{ decision: 'approve', by: 'dora', on_behalf_of: 'ana' }];
  const decided = { ...waiting, approval: { by: ['dora'], decisions } } as never;
  expect(steadsFor(gus, [stead], decided, BEFORE)).toEqual([]);
  expect(obstacleFor(ana, decided, BEFORE)).toEqual({ is: 'decided' });
});
