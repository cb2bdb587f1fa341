/** What keeps a person from approving a call, as far as its card says it. The worker judges. */
import type { Question } from '../../../../src/shapes/turn-view';
import { peopleOf, samePerson } from '../../../../src/shared/approval/approval';
import { rolesAt } from '../../../../src/shared/approval/policy';

/** Who named the person as a deputy; only what is in force. */
export interface Stead {
  for: string;
  roles: readonly string[] | null;
  agents: readonly string[] | null;
  tools: readonly string[] | null;
  /** `record`: the gateway's word, which does not count where decisions are signed. */
  proof: 'signed' | 'record';
}

export type Obstacle = { is: 'decided' } | { is: 'maker' } | { is: 'roles'; roles: string[]; from: string | null };

export interface Person {
  principal: string;
  roles: readonly string[];
}

/** Null: nothing that the card says. @param now ms */
export function obstacleFor({ principal, roles }: Person, { card, approval }: Question, now: number): Obstacle | null {
  const { policy, requester, makers = [] } = card;
  const votes = [
    ...approval.by,
    ...(approval.decisions ?? []).flatMap((one) => (one.decision === 'approve' ? peopleOf(one) : [])),
  ];
  if (votes.some((one) => samePerson(one, principal))) return { is: 'decided' };
  const isMaker = [requester, ...makers].some((one) => one !== undefined && samePerson(one, principal));
  if (policy?.four_eyes && isMaker) return { is: 'maker' };
  const escalations = card.kind === 'in_doubt' ? [] : (policy?.escalations ?? []);
  const needed = rolesAt(policy?.roles ?? [], escalations, now);
  if (needed.length === 0 || needed.some((role) => roles.includes(role))) return null;
  const later = escalations.filter((one) => one.roles.some((role) => roles.includes(role)));
  const [from = null] = later.map(({ at }) => at).sort();
  return { is: 'roles', roles: needed, from };
}

/** The people for whom a deputy may approve this call, as far as its card says it. */
export function steadsFor(person: Person, steads: readonly Stead[], question: Question, now: number): string[] {
  const { card } = question;
  const isSigned = (card.policy?.channel ?? question.approval.channel) === 'attested';
  const own = obstacleFor(person, question, now);
  if (card.kind !== 'approval' || own?.is === 'decided' || own?.is === 'maker') return [];
  const fits = ({ for: other, roles, agents, tools, proof }: Stead) =>
    (proof === 'signed' || !isSigned) &&
    (agents === null || agents.includes(card.agent)) &&
    (tools === null || tools.includes(card.tool)) &&
    obstacleFor({ principal: other, roles: roles ?? card.policy?.roles ?? [] }, question, now) === null;
  return [...new Set(steads.filter(fits).map((one) => one.for))];
}
