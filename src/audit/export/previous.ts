/** The chain of a tenant's bundles of an agent: each names the root of the one before, so that one that was left out shows. */
import { isJsonObject, type Json } from '../../shared/json/json';
import { PERMANENT_PREFIX } from '../../store/core/registers';
import type { RegisterStore } from '../../store/store';
import type { EndBody } from '../format/lines';

export type Previous = EndBody['previous'];

/** Whose bundles they are. */
export interface ChainName {
  agent: string;
  /** Null: the operator's own. */
  tenant: string | null;
}

/** Puts this bundle in the place of the chain's last one, atomically over all processes. @returns the one before */
export function succeed(registers: RegisterStore, chain: ChainName, own: NonNullable<Previous>): Promise<Previous> {
  return registers.update(nameOf(chain), (value) => ({ value: { ...own }, answer: previousIn(value) }));
}

/** Takes it back: it could not be signed, or kept. Where another one has followed meanwhile, it stays. */
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

/** The operator's chain goes on from that of all tenants, as it was once. */
function nameOf({ agent, tenant }: ChainName): string {
  return tenant === null
    ? `${PERMANENT_PREFIX}bundle/${agent}`
    : `${PERMANENT_PREFIX}bundle of ${JSON.stringify([tenant, agent])}`;
}

function previousIn(value: Json): Previous {
  if (!isJsonObject(value) || typeof value.root !== 'string' || typeof value.subject !== 'string') return null;
  return { root: value.root, subject: value.subject };
}
