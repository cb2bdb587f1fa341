/** How a deputy is shown. */
import { isoOf } from '../attestation/deputy-decision';
import type { DeputyView } from '../shapes/deputy';
import type { StoredDeputyship } from './register';

export function viewOfDeputy(one: StoredDeputyship): DeputyView {
  const { deputy, for: person, roles = null, agents = null, tools = null, from, until, kid, v } = one.signed.deputyship;
  return {
    ...{ id: one.id, deputy, for: person, roles, agents, tools, from: isoOf(from), until: isoOf(until) },
    ...{ state: stateOfDeputy(one, Date.now()), signed_by: kid, proof: v === 'holdfast.deputy/1' ? 'signed' : 'record' },
    ...{ named_at: one.named_at, named_by: one.named_by, ended_at: one.end?.at ?? null, ended_by: one.end?.by ?? null },
  };
}

/** `planned`: its period has not begun. `over`: it has passed. `ended`: it was ended before. */
export function stateOfDeputy({ signed, end }: StoredDeputyship, nowMs: number): 'planned' | 'active' | 'over' | 'ended' {
  const { from, until } = signed.deputyship;
  if (end !== null) return 'ended';
  if (until * 1000 <= nowMs) return 'over';
  return from * 1000 > nowMs ? 'planned' : 'active';
}
