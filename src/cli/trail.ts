/** `holdfast trail`: lists decisions and destructive calls over all turns, from the store. */
import { Option, type Command } from 'commander';
import { AmbiguousKey } from '../client/errors';
import { loadConfig } from '../config';
import { asTurnId } from '../shared/ids';
import type { TrailStore } from '../store/store';
import { TRAIL_STATES, type TrailPage, type TrailQuery } from '../store/core/trail';
import { oneLine } from './support/describe';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';

const PAGE = 1000;

export function trail(program: Command, output: () => Output): void {
  program
    .command('trail')
    .description(
      'Every decision, destructive call, enrolment of a passkey, deputy and use of the stop switch, over all turns, the oldest first. Reads the store; needs no server.',
    )
    .option('--tool <name>', 'only of this tool')
    .option('--by <name>', 'only what this person decided or settled')
    .option('--requester <name>', 'only of turns that this principal asked for')
    .addOption(new Option('--state <state>', 'only these').choices(TRAIL_STATES))
    .option('--turn <turn>', 'only of this turn or direct call: its id, or the idempotency key that it was started under')
    .option('--from <time>', 'not before: 2026-01-31, or 2026-01-31T09:00:00Z')
    .option('--to <time>', 'before')
    .option('--limit <n>', 'entries of a page, at most 1000', wholeNumber, 100)
    .option('--cursor <cursor>', 'where the page before ended')
    .action(async (query: TrailQuery) => {
      const config = loadConfig();
      const { openStoreOf } = await import('../store/open-store.js');
      const { trail } = await openStoreOf(config);
      const { turn: name } = query;
      const turn = name === undefined ? {} : { turn: (await turnInTrail(trail, name)) ?? asTurnId(name) };
      const page = await trail.query({ ...query, ...turn });
      output().answer(page, describe(page));
      for (const { file, reason } of page.damaged) output().note(`Damaged: ${file}: ${oneLine(reason)}`);
    });
}

/**
 * The turn or direct call with this id, or the one that a principal started under this idempotency key. Reads the store's trail:
 * Temporal may have deleted the turn, or may not run at all.
 * @returns null if the trail has none
 * @throws AmbiguousKey if several principals have used the key
 */
export async function turnInTrail(trail: TrailStore, name: string): Promise<string | null> {
  const id = asTurnId(name);
  if ((await trail.query({ turn: id, limit: 1 })).entries.length > 0) return id;
  const turns = new Map<string, { id: string; requester: string }>();
  let cursor: string | null = null;
  do {
    const page = await trail.query({ named: name, limit: PAGE, ...(cursor === null ? {} : { cursor }) });
    for (const { turn_id, requester } of page.entries) turns.set(turn_id, { id: turn_id, requester });
    cursor = page.next_cursor;
  } while (cursor !== null);
  if (turns.size > 1) throw new AmbiguousKey(name, [...turns.values()]);
  return [...turns.keys()][0] ?? null;
}

function describe({ entries, next_cursor }: TrailPage): string[] {
  if (entries.length === 0) return ['The trail has no such entries.'];
  const lines = entries.map(({ at, turn_id, workflow_id, call_id, revision, tool, kind, state, by, requester, verified }) => {
    const call = turn_id === '' ? workflow_id : `${turn_id} ${call_id}${revision > 1 ? `, revision ${revision}` : ''}`;
    const who = by === '' ? `for ${oneLine(requester, 60)}` : `by ${oneLine(by, 60)}, for ${oneLine(requester, 60)}`;
    const doubt = verified ? '' : '  NOT VERIFIED: its block is not there, or says something else';
    return `${at}  ${state.padEnd(12)} ${kind.padEnd(10)} ${oneLine(tool, 40)}  ${call}  ${who}${doubt}`;
  });
  return next_cursor === null ? lines : [...lines, `More: --cursor ${next_cursor}`];
}
