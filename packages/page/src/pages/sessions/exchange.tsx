/** One turn of a conversation: what was said, and what the agent answered. */
import { useEffect } from 'preact/hooks';
import { readExchange } from '../../api/conversation';
import { readTurn } from '../../api/turns';
import { headline, stateInWords } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { ErrorNotice, Reading } from '../../parts/notice';
import { Lines, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';
import { useTurnEvents } from '../../state/follow-turn';

interface Props {
  turn: string;
  requester: string;
  agent: string;
}

export function EndedTurn({ turn, requester, agent }: Props) {
  const { data, error, reload } = useLoad(turn, (signal) => readExchange(turn, signal));
  if (error) return <ErrorNotice error={error} retry={reload} />;
  if (data === null) return <Reading />;
  return (
    <>
      {data.message !== null && <Bubble by={requester} mine text={data.message} />}
      <Bubble
        by={agent}
        turn={turn}
        text={data.answer === '' || data.answer === null ? `(${stateInWords(data.state ?? 'ended')})` : data.answer}
      />
    </>
  );
}

export function RunningTurn({ turn, requester, agent, onChange }: Props & { onChange: () => void }) {
  const followed = useTurnEvents(turn, onChange);
  const view = useLoad(turn, (signal) => readTurn(turn, signal));
  useEffect(view.reload, [followed.events.length]);
  const started = followed.events.find((event) => event.type === 'turn_started');
  const waiting = view.data?.waiting ?? [];
  return (
    <>
      {started?.type === 'turn_started' && <Bubble by={requester} mine text={started.message} />}
      <div class="bubble">
        <p class="by">
          <Words of={agent} /> <a href={writeRoute({ page: 'turn', turn })}>the turn</a>
        </p>
        {followed.events.map((event) =>
          event.type === 'step_completed' && event.text !== '' ? <Lines of={event.text} /> : null,
        )}
        {followed.text !== '' && <Lines of={followed.text} />}
        {[...followed.progress.values()].map((message) => (
          <p class="soft">
            <Words of={message} />
          </p>
        ))}
        {waiting.map(({ digest, card }) => (
          <p>
            Waits for a person:{' '}
            <a href={writeRoute({ page: 'call', turn, digest })}>
              <Words of={headline(card)} />
            </a>
          </p>
        ))}
        {waiting.length === 0 && <Reading what="Working" />}
      </div>
    </>
  );
}

function Bubble({ by, text, mine = false, turn }: { by: string; text: string; mine?: boolean; turn?: string }) {
  return (
    <div class={`bubble ${mine ? 'mine' : ''}`}>
      <p class="by">
        <Words of={by} /> {turn && <a href={writeRoute({ page: 'turn', turn })}>the turn</a>}
      </p>
      <Lines of={text} />
    </div>
  );
}
