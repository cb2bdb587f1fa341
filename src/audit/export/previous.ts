/** The chain of a tenant's bundles of an agent: each names the root of the one before, so that a missing bundle is noticed. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { PERMANENT_PREFIX } from '../../store/core/registers';
import type { RegisterStore } from '../../store/store';
import type { EndBody } from '../format/lines';

export type Previous = EndBody['previous'];

/** The agent and the tenant whose bundles form a chain. */
export interface ChainName {
  agent: string;
  /** Null: the operator's own. */
  tenant: string | null;
}

/** Makes this bundle the last one of the chain, atomically over all processes. @returns the bundle before */
export function succeed(registers: RegisterStore, chain: ChainName, own: NonNullable<Previous>): Promise<Previous> {
  return registers.update(nameOf(chain), (value) => ({ value: { ...own }, answer: previousIn(value) }));
}

/** Restores the bundle before, if this one could not be signed or kept. If another one has followed meanwhile, nothing changes. */
export async function withdraw(
  registers: RegisterStore,
  chain: ChainName,
  own: NonNullable<Previous>,
  before: Previous,
): Promise<void> {
  await registers.update(nameOf(chain), (value) => {
    const last = previousIn(value);
    return last?.root === own.root ? { value: before && { ...before }, answer: null } : { answer: null };
  });
}

/** The operator's chain continues the chain of all tenants that older builds wrote. */
function nameOf({ agent, tenant }: ChainName): string {
  return tenant === null
    ? `${PERMANENT_PREFIX}bundle/${agent}`
    : `${PERMANENT_PREFIX}bundle of ${JSON.stringify([tenant, agent])}`;
}

function previousIn(value: Json): Previous {
  if (!isJsonObject(value) || typeof value.root !== 'string' || typeof value.subject !== 'string') return null;
  return { root: value.root, subject: value.subject };
}
