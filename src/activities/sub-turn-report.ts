/** What a turn keeps of what another one says of itself. All of it lands in history, so it stays small. */
import { NOTHING_SPENT, type SubTurnReport, type Surfaced } from '../shared/sub-turn';
import type { AskedTurn } from './turns';

/** Cards that travel, characters all together: those that are too much are shown in their own turn only. */
const MOST_CARDS = 100_000;
/** Questions that are shown above. */
const MOST_WAITING = 64;

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

function travelling(waiting: Surfaced[]): Surfaced[] {
  let left = MOST_CARDS;
  return waiting.slice(0, MOST_WAITING).map((question) => {
    left -= question.card.length;
    return left < 0 ? { ...question, card: '' } : question;
  });
}
