/** A turn in which decisions are signed has a signed start: who asked for it decides who may not approve. */
import { ApplicationFailure } from '@temporalio/activity';
import type { PreparedAgent } from '../../tools/catalogue/registry';
import type { Dependencies, SignedStart } from '../ports';
import { startFault } from './start-fault';
import { subTurnStartFault } from '../sub-agents/sub-turn-start';

export const START_NOT_ATTESTED = 'holdfast.start_not_attested';

/** @throws ApplicationFailure `holdfast.start_not_attested`: the turn ends with the reason */
export async function checkStart(
  deps: Pick<Dependencies, 'trust' | 'store' | 'turns'>,
  agent: PreparedAgent,
  { attestation, ...start }: Omit<SignedStart, 'attestation'> & { attestation: string | undefined },
): Promise<void> {
  if (!wantsSignatures(agent)) return;
  const { parent } = start.turn;
  const reason = parent
    ? await subTurnStartFault(deps, { ...start.turn, parent }, start.message_hash)
    : attestation === undefined
      ? 'it is not signed'
      : await startFault(deps, { ...start, attestation });
  if (reason === null) return;
  throw ApplicationFailure.nonRetryable(
    `Decisions on this agent's calls are signed, so the start of a turn must be too, and this one does not hold: ${reason}. Start it with a key (HOLDFAST_SIGNING_KEY), or through the gateway.`,
    START_NOT_ATTESTED,
  );
}

/** Whether any of its calls takes signed decisions only. */
export function wantsSignatures({ agent, approval }: PreparedAgent): boolean {
  const single = Object.keys(agent.approvals?.tools ?? {});
  return ['', ...single].some((tool) => approval(tool).channel === 'attested');
}
