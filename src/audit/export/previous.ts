/** The chain of an agent's bundles: each names the root of the one before, so that one that was left out shows. */
import { isJsonObject, type Json } from '../../shared/json';
import { KEPT } from '../../store/register-names';
import type { RegisterStore } from '../../store/store';
import type { EndBody } from '../format/lines';

export type Previous = EndBody['previous'];

/** Puts this bundle in the place of the agent's last one, atomically over all processes. @returns the one before */
export function succeed(registers: RegisterStore, agent: string, own: NonNullable<Previous>): Promise<Previous> {
  return registers.update(nameOf(agent), (value) => ({ value: { ...own }, answer: previousIn(value) }));
}

/** Takes it back: it could not be signed. Where another one has followed meanwhile, it stays. */
export async function withdraw(
  registers: RegisterStore,
  agent: string,
  own: NonNullable<Previous>,
  before: Previous,
): Promise<void> {
  await registers.update(nameOf(agent), (value) => {
    const last = previousIn(value);
    return last?.root === own.root ? { value: before && { ...before }, answer: null } : { answer: null };
  });
}

function nameOf(agent: string): string {
  return `${KEPT}bundle/${agent}`;
}

function previousIn(value: Json): Previous {
  if (!isJsonObject(value) || typeof value.root !== 'string' || typeof value.subject !== 'string') return null;
  return { root: value.root, subject: value.subject };
}
