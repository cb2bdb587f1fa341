/** The calls of a turn, each revision with what people said to it and what it did. */
import type { CallView, ShownTurn } from '../../../../../src/shapes/turn-view';
import { nameOfVote } from '../../../../../src/shared/approval/approval';
import { plural, when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { State } from '../../parts/badge';
import { Empty } from '../../parts/notice';
import { Digest, Lines, Words } from '../../parts/text';

export function Calls({ view }: { view: ShownTurn }) {
  const { calls, earlier_calls: earlier, sub_turns: below = [], turn_id } = view;
  return (
    <section>
      <h2>Calls</h2>
      {earlier && <p class="soft">{plural(earlier.count, 'earlier call')} are in the transcript only.</p>}
      {calls.length === 0 && <Empty>No calls yet.</Empty>}
      <ul class="calls">
        {calls.map((call) => (
          <Call turn={turn_id} call={call} />
        ))}
      </ul>
      {below.length > 0 && (
        <>
          <h3>Turns of sub-agents</h3>
          <ul>
            {below.map(({ turn_id: id, agent, state }) => (
              <li>
                <a href={writeRoute({ page: 'turn', turn: id })}>
                  <Words of={agent} />
                </a>{' '}
                <State of={state} />
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Call({ turn, call }: { turn: string; call: CallView }) {
  const { id, revision, tool, version, state, effect, digest, approval, result_summary, error, attempts, pending_until } = call;
  return (
    <li>
      <p class="row-facts">
        <strong>
          <Words of={id} /> <Words of={tool} />
        </strong>
        <State of={state} />
        {effect && <State of={effect} />}
        <span class="soft">
          version <Words of={version} />
          {revision > 1 ? `, revision ${revision}` : ''}
          {attempts > 1 ? `, ${attempts} attempts` : ''}
          {state === 'pending' && pending_until ? `, to be completed until ${when(pending_until)}` : ''}
        </span>
        {digest && (state === 'waiting' || state === 'in_doubt') && (
          <a href={writeRoute({ page: 'call', turn, digest })}>decide</a>
        )}
        {digest && <Digest of={digest} />}
      </p>
      {approval.decisions.map(({ decision, note, ...vote }) => (
        <p class="soft">
          <Words of={nameOfVote(vote)} />: {decision}
          {note && (
            <>
              , <Words of={note} />
            </>
          )}
        </p>
      ))}
      {result_summary && <Lines of={result_summary} />}
      {error && <Lines of={`${error.message}${error.hint ? ` ${error.hint}` : ''}`} />}
    </li>
  );
}
