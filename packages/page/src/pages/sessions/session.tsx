/** One session, as a conversation. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { closeSession, interruptSession, readSession, sayToSession, steerSession, type Session } from '../../api/sessions';
import { costWords, plural, stateInWords } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { State } from '../../parts/badge';
import { Title } from '../../parts/layout';
import { Empty, ErrorNotice, Notice } from '../../parts/notice';
import { PendingPage } from '../../parts/pending-page';
import { Lines, Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { mayManage } from '../../state/me';
import { EndedTurn, RunningTurn } from './exchange';

const LOOK_AGAIN_MS = 3_000;

export function SessionPage({ session }: { session: string }) {
  const { data, error, reload } = useLoad(session, (signal) => readSession(session, signal));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  if (data === null) return <PendingPage title={`Session ${session}`} what="Reading the session" error={error} retry={reload} />;
  const { title, state, agent, requester, turns, usage, last, running, queue, held } = data;
  return (
    <div class="session">
      <Title title={title ?? session} actions={<Actions session={data} onDone={reload} />}>
        <Words of={title ?? session} />
      </Title>
      <p class="row-facts">
        <State of={state} />
        <span>
          agent <Words of={agent} />
        </span>
        <span>
          for <Words of={requester} />
        </span>
        <span>{plural(turns, 'turn')}</span>
        <span>{usage.unpriced_tokens ? `cost ${costWords(usage)}` : costWords(usage)}</span>
      </p>
      <ErrorNotice error={error} retry={reload} />
      {turns > last.length && <p class="soft">The latest {last.length} turns are shown.</p>}
      <div class="chat">
        {last.length === 0 && running === null && <Empty>Nothing has been said yet.</Empty>}
        {last.map(({ turn_id }) => (
          <EndedTurn key={turn_id} turn={turn_id} requester={requester} agent={agent} />
        ))}
        {running && (
          <RunningTurn key={running.turn_id} turn={running.turn_id} requester={requester} agent={agent} onChange={reload} />
        )}
        {queue.length > 0 && <p class="soft">{plural(queue.length, 'message waits', 'messages wait')} for their turn.</p>}
      </div>
      {held && (
        <Notice tone="warn" title="The last turn did not come to its end">
          <p>
            <a href={writeRoute({ page: 'turn', turn: held.turn_id })}>It</a> is {stateInWords(held.state)}. What waits begins
            when somebody says something.
          </p>
          {held.reason && <Lines of={held.reason} />}
        </Notice>
      )}
      {state === 'open' && mayManage(requester) && <Say session={data} onDone={reload} />}
    </div>
  );
}

function Say({ session, onDone }: { session: Session; onDone: () => void }) {
  const [text, setText] = useState('');
  const action = useAction();
  const field = useRef<HTMLTextAreaElement>(null);
  const { session_id: id, running, held } = session;
  const send = async (how: 'message' | 'steer') => {
    if (text.trim() === '') return;
    const act = (key: string) => (how === 'steer' ? steerSession(id, text, key) : sayToSession(id, text, held !== null, key));
    const done = await action.run(act, [id, how, text]);
    if (!done) return;
    setText('');
    onDone();
    field.current?.focus();
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send('message');
      }}
    >
      <label for="say">Message</label>
      <textarea
        id="say"
        ref={field}
        rows={3}
        value={text}
        onInput={({ currentTarget: { value } }) => setText(value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
          event.preventDefault();
          void send('message');
        }}
      />
      <ErrorNotice error={action.error} />
      <div class="actions end">
        {running && (
          <button type="button" disabled={action.busy} onClick={() => void send('steer')}>
            Say it to the running turn
          </button>
        )}
        <button type="submit" class="primary" disabled={action.busy}>
          {running ? 'Send after the running turn' : 'Send'}
        </button>
      </div>
    </form>
  );
}

function Actions({ session, onDone }: { session: Session; onDone: () => void }) {
  const action = useAction();
  const { session_id: id, state, requester, running } = session;
  if (state !== 'open' || !mayManage(requester)) return null;
  const run = (act: () => Promise<unknown>) => void action.run(act).then((done) => done && onDone());
  return (
    <>
      {running && (
        <button type="button" class="small" disabled={action.busy} onClick={() => run(() => interruptSession(id))}>
          Interrupt
        </button>
      )}
      <button type="button" class="small quiet" disabled={action.busy} onClick={() => run(() => closeSession(id))}>
        Close the session
      </button>
      <ErrorNotice error={action.error} />
    </>
  );
}
