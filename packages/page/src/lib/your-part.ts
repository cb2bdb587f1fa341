/** What keeps a person from approving a call, as far as its card says it. The worker judges. */
import type { Question } from '../../../../src/shapes/turn-view';
import { samePerson } from '../../../../src/shared/approval/approval';
import { rolesAt } from '../../../../src/shared/approval/policy';

export type Obstacle = { is: 'decided' } | { is: 'maker' } | { is: 'roles'; roles: string[]; from: string | null };

export interface Person {
  principal: string;
  roles: readonly string[];
}

/** Null: nothing that the card says. @param now ms */
export function obstacleFor({ principal, roles }: Person, { card, approval }: Question, now: number): Obstacle | null {
  const { policy, requester, makers = [] } = card;
  if (approval.by.some((one) => samePerson(one, principal))) return { is: 'decided' };
  const isMaker = [requester, ...makers].some((one) => one !== undefined && samePerson(one, principal));
  if (policy?.four_eyes && isMaker) return { is: 'maker' };
  const escalations = card.kind === 'in_doubt' ? [] : (policy?.escalations ?? []);
  const needed = rolesAt(policy?.roles ?? [], escalations, now);
  if (needed.length === 0 || needed.some((role) => roles.includes(role))) return null;
  const later = escalations.filter((one) => one.roles.some((role) => roles.includes(role)));
  const [from = null] = later.map(({ at }) => at).sort();
  return { is: 'roles', roles: needed, from };
}
