/** The sessions that this person may see, and a form to open one. */
import { useState } from 'preact/hooks';
import { listSessions, openSession } from '../../api/sessions';
import { when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { State } from '../../parts/badge';
import { Dialog } from '../../parts/dialog';
import { Title } from '../../parts/layout';
import { Empty, ErrorNotice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { mayStart } from '../../state/me';
import { goTo } from '../../state/route';
import { AgentField } from '../agents/agent-field';

export function SessionsPage() {
  const { data, error, reload } = useLoad('sessions', listSessions);
  const [opening, setOpening] = useState(false);
  return (
    <>
      <Title
        title="Sessions"
        actions={
          <>
            <button type="button" class="small" onClick={reload}>
              Read again
            </button>
            {mayStart.value && (
              <button type="button" class="small primary" onClick={() => setOpening(true)}>
                Open a session …
              </button>
            )}
          </>
        }
      >
        Sessions
      </Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.sessions.length === 0 && <Empty>No sessions.</Empty>}
      {data && data.sessions.length > 0 && (
        <div class="scroll" tabIndex={0} role="group" aria-label="Sessions">
          <table>
            <thead>
              <tr>
                <th scope="col">Session</th>
                <th scope="col">State</th>
                <th scope="col">Agent</th>
                <th scope="col">For</th>
                <th scope="col">Began</th>
              </tr>
            </thead>
            <tbody>
              {data.sessions.map(({ session_id, state, agent, requester, started_at }) => (
                <tr>
                  <td>
                    <a href={writeRoute({ page: 'session', session: session_id })}>
                      <Words of={session_id} />
                    </a>
                  </td>
                  <td>
                    <State of={state} />
                  </td>
                  <td>
                    <Words of={agent} />
                  </td>
                  <td>
                    <Words of={requester} />
                  </td>
                  <td class="time">{when(started_at)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {opening && <OpenSession onClose={() => setOpening(false)} />}
    </>
  );
}

function OpenSession({ onClose }: { onClose: () => void }) {
  const [agent, setAgent] = useState('');
  const [title, setTitle] = useState('');
  const [message, setMessage] = useState('');
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const open = async (key: string) => {
      const { session_id } = await openSession(agent, title.trim(), message.trim(), key);
      goTo({ page: 'session', session: session_id });
    };
    void action.run(open, [agent, title, message]);
  };
  return (
    <Dialog title="Open a session" onClose={onClose}>
      <form onSubmit={submit}>
        <AgentField value={agent} onChange={setAgent} />
        <label for="title">Title (optional)</label>
        <input id="title" maxLength={200} value={title} onInput={({ currentTarget: { value } }) => setTitle(value)} />
        <label for="first">First message (optional)</label>
        <textarea id="first" rows={4} value={message} onInput={({ currentTarget: { value } }) => setMessage(value)} />
        <ErrorNotice error={action.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.busy || agent === ''}>
            Open
          </button>
        </div>
      </form>
    </Dialog>
  );
}
