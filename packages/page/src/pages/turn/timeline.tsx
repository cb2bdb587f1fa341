/** What has happened in a turn, in order, and what happens now. */
import type { ComponentChildren } from 'preact';
import type { StreamedEvent } from '../../../../../src/shapes/turn-event';
import { clock, stateInWords, when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { Lines, Value, Words } from '../../parts/text';
import type { FollowedTurn } from '../../state/follow-turn';
import { nameOfVote } from '../../../../../src/shared/approval/approval';

export function Timeline({ turn, followed }: { turn: string; followed: FollowedTurn }) {
  const { events, text, waits, progress, connection } = followed;
  return (
    <section>
      <h2>
        What happened <span class={`live ${connection === 'live' ? 'on' : ''}`}>{WORDS[connection]}</span>
      </h2>
      <ol class="timeline">
        {events.map((event) => (
          <Entry turn={turn} event={event} />
        ))}
        {[...progress].map(([call, message]) => (
          <li class="now">
            <span class="time">now</span>
            <div>
              Call <Words of={call} />: <Words of={message} />
            </div>
          </li>
        ))}
        {waits !== '' && (
          <li class="now">
            <span class="time">now</span>
            <div>
              The turn <Words of={waits} />
            </div>
          </li>
        )}
        {text !== '' && (
          <li class="now">
            <span class="time">now</span>
            <div>
              <Lines of={text} />
            </div>
          </li>
        )}
      </ol>
    </section>
  );
}

const WORDS = { opening: 'opening', live: 'live', interrupted: 'interrupted', ended: 'ended' };

function Entry({ turn, event }: { turn: string; event: StreamedEvent }) {
  const shown = inWords(turn, event);
  if (shown === null) return null;
  return (
    <li class={event.type}>
      <time class="time" dateTime={event.at}>
        {clock(event.at)}
      </time>
      <div>{shown}</div>
    </li>
  );
}

function inWords(turn: string, event: StreamedEvent): ComponentChildren {
  switch (event.type) {
    case 'turn_started':
      return (
        <>
          <p>
            Asked <Words of={event.agent} />
          </p>
          <Lines of={event.message} />
        </>
      );
    case 'step_started':
      return null;
    case 'step_completed':
      return (
        <>
          {event.passed && (
            <p class="soft">
              Step {event.step} was taken by <Words of={event.model ?? ''} />, since{' '}
              {event.passed.map(({ model, reason }, index) => (
                <>
                  {index > 0 && ', '}
                  <Words of={model} /> did not answer (<Words of={reason} />)
                </>
              ))}
            </p>
          )}
          {event.text !== '' && <Lines of={event.text} />}
          {event.calls.map(({ id, tool, verdict }) => (
            <p>
              Call <Words of={id} />: <Words of={tool} /> <span class="soft">{VERDICTS[verdict] ?? verdict}</span>
            </p>
          ))}
        </>
      );
    case 'tool_started':
      return (
        <p>
          <Words of={event.tool} /> (<Words of={event.call} />) runs
        </p>
      );
    case 'tool_result':
      return (
        <>
          <p>
            <Words of={event.tool} /> (<Words of={event.call} />) succeeded{event.effect ? `: ${stateInWords(event.effect)}` : ''}
          </p>
          {event.summary !== '' && <Lines of={event.summary} />}
        </>
      );
    case 'tool_error':
      return (
        <>
          <p>
            <Words of={event.tool} /> (<Words of={event.call} />) failed{event.effect ? `: ${stateInWords(event.effect)}` : ''}
          </p>
          {event.error && <Lines of={event.error.message} />}
        </>
      );
    case 'call_pending':
      return (
        <p>
          <Words of={event.tool} /> (<Words of={event.call} />) is pending: somebody else completes it until{' '}
          {when(event.expires_at)}
        </p>
      );
    case 'call_completed':
      return (
        <p>
          <Words of={event.tool} /> (<Words of={event.call} />) {COMPLETED[event.by]}
        </p>
      );
    case 'approval_requested':
      return (
        <p>
          <Words of={event.tool} /> (<Words of={event.call} />) waits for a person.{' '}
          {event.card && <a href={writeRoute({ page: 'call', turn, digest: event.digest })}>Look at it</a>}
        </p>
      );
    case 'approval_decided':
      return (
        <>
          <p>
            <strong>
              <Words of={nameOfVote(event)} />
            </strong>{' '}
            {DECIDED[event.decision] ?? event.decision}: <Words of={event.tool} /> (<Words of={event.call} />)
          </p>
          {event.note && <Lines of={event.note} />}
        </>
      );
    case 'question_asked':
      return (
        <p>
          The model asks a person (<Words of={event.call} />
          ). {event.card && <a href={writeRoute({ page: 'call', turn, digest: event.digest })}>Look at the question</a>}
        </p>
      );
    case 'question_answered':
      return event.expired ? (
        <p>
          Nobody answered the question (<Words of={event.call} />) in time.
        </p>
      ) : (
        <>
          <p>
            <strong>
              <Words of={event.by} />
            </strong>{' '}
            answered the question (<Words of={event.call} />
            ):
          </p>
          <Value of={event.value} />
          {event.note && <Lines of={event.note} />}
        </>
      );
    case 'turn_reset':
      return <p>The turn was reset through Temporal{event.reason ? `: ${event.reason}` : ''}. What was done stays done.</p>;
    case 'turn_completed':
      return (
        <>
          <p>The turn ended: {stateInWords(event.state)}</p>
          {event.reason && <Lines of={event.reason} />}
          {event.text !== '' && <Lines of={event.text} />}
          {event.result && <Value of={event.result} />}
        </>
      );
    default:
      return null;
  }
}

const COMPLETED: Record<string, string> = {
  completion: 'was completed',
  poll: 'has ended, as its tool found out',
  expiry: 'was not completed in time',
  cancellation: 'is no longer waited for: the turn was cancelled',
};

const DECIDED: Record<string, string> = {
  approve: 'approved',
  deny: 'denied',
  expired: 'did not decide in time',
  settle: 'settled',
};

const VERDICTS: Record<string, string> = {
  ...{ allow: 'runs by itself', ask: 'asks a person', classify: 'is judged first' },
  ...{ deny: 'is refused by a rule', rejected: 'is refused' },
};
