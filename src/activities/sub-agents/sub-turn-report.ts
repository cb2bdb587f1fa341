/** What a turn keeps of what another one says of itself. All of it lands in history, so it stays small. */
import { NOTHING_SPENT, travelling, type SubTurnReport } from '../../shared/sub-turn';
import type { AskedTurn } from '../ports';

export function reportOf({ closed, facts }: AskedTurn, agent: string): SubTurnReport {
  const outside = closed === 'TERMINATED' || closed === 'TIMED_OUT';
  if (facts === null) {
    const nothing = { first_execution_run_id: '', agent, head: null, spent: NOTHING_SPENT, waiting: [] };
    return { ...nothing, state: 'failed', ended: closed !== null, reason: closed === null ? null : endedOutside(closed) };
  }
  const { parent: _, text: __, ...report } = facts;
  if (!outside) return { ...report, ended: report.ended || closed !== null, waiting: travelling(report.waiting) };
  return { ...report, state: 'failed', ended: true, reason: endedOutside(closed), waiting: [] };
}

function endedOutside(closed: NonNullable<AskedTurn['closed']>): string {
  const how = closed === 'TIMED_OUT' ? 'ended by its time limit' : 'terminated';
  return `Its workflow was ${how} from outside, through Temporal. What it was doing at that moment may have taken effect.`;
}
