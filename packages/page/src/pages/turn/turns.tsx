/** All turns that this person may see, and a form to start one. */
import { useState } from 'preact/hooks';
import { TURN_STATES } from '../../../../../src/shared/turn/turn-states';
import type { TurnSummary } from '../../../../../src/shapes/turn-view';
import { listTurns, startTurn } from '../../api/turns';
import { stateInWords, when } from '../../lib/format';
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

export function TurnsPage() {
  const [state, setState] = useState('');
  const [agent, setAgent] = useState('');
  const [more, setMore] = useState<{ turns: TurnSummary[]; next: string | null } | null>(null);
  const [starting, setStarting] = useState(false);
  const filter = { ...(state === '' ? {} : { state }), ...(agent === '' ? {} : { agent }) };
  const first = useLoad(JSON.stringify(filter), () => {
    setMore(null);
    return listTurns(filter);
  });
  const next = useAction();
  const turns = [...(first.data?.turns ?? []), ...(more?.turns ?? [])];
  const cursor = more === null ? (first.data?.next_cursor ?? null) : more.next;
  const readMore = () =>
    void next.run(async () => {
      const page = await listTurns({ ...filter, cursor: cursor! });
      setMore({ turns: [...(more?.turns ?? []), ...page.turns], next: page.next_cursor });
    });
  return (
    <>
      <Title
        title="Turns"
        actions={
          <>
            <button type="button" class="small" onClick={first.reload}>
              Read again
            </button>
            {mayStart.value && (
              <button type="button" class="small primary" onClick={() => setStarting(true)}>
                Start a turn …
              </button>
            )}
          </>
        }
      >
        Turns
      </Title>
      <div class="filters">
        <label class="filter">
          <span class="unseen-label">State</span>
          <select value={state} onChange={({ currentTarget: { value } }) => setState(value)}>
            <option value="">All states</option>
            {TURN_STATES.map((one) => (
              <option value={one}>{stateInWords(one)}</option>
            ))}
          </select>
        </label>
        <label class="filter">
          <span class="unseen-label">Agent</span>
          <input
            type="search"
            placeholder="Agent"
            value={agent}
            onChange={({ currentTarget: { value } }) => setAgent(value.trim())}
          />
        </label>
      </div>
      <ErrorNotice error={first.error} retry={first.reload} />
      {first.data === null && !first.error && <Reading />}
      {first.data && turns.length === 0 && <Empty>No turns.</Empty>}
      {turns.length > 0 && <TurnTable turns={turns} />}
      {cursor !== null && (
        <p>
          <button type="button" disabled={next.busy} onClick={readMore}>
            Older turns
          </button>
        </p>
      )}
      <ErrorNotice error={next.error} />
      {starting && <StartTurn onClose={() => setStarting(false)} />}
    </>
  );
}

export function TurnTable({ turns }: { turns: TurnSummary[] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Turns">
      <table>
        <thead>
          <tr>
            <th scope="col">Turn</th>
            <th scope="col">State</th>
            <th scope="col">Agent</th>
            <th scope="col">For</th>
            <th scope="col">Began</th>
          </tr>
        </thead>
        <tbody>
          {turns.map(({ turn_id, key, state, agent, requester, started_at }) => (
            <tr>
              <td>
                <a href={writeRoute({ page: 'turn', turn: turn_id })}>
                  <Words of={key ?? turn_id} />
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
  );
}

function StartTurn({ onClose }: { onClose: () => void }) {
  const [agent, setAgent] = useState('');
  const [message, setMessage] = useState('');
  const [files, setFiles] = useState<readonly File[]>([]);
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const start = async (key: string) => {
      const { turn_id } = await startTurn(agent, message, files, key);
      goTo({ page: 'turn', turn: turn_id });
    };
    void action.run(start, [agent, message, ...files]);
  };
  return (
    <Dialog title="Start a turn" onClose={onClose}>
      <form onSubmit={submit}>
        <AgentField value={agent} onChange={setAgent} />
        <label for="message">Message</label>
        <textarea
          id="message"
          rows={5}
          required
          maxLength={100_000}
          value={message}
          onInput={({ currentTarget: { value } }) => setMessage(value)}
        />
        <label for="files">Files (images, PDF, plain text)</label>
        <input
          id="files"
          type="file"
          multiple
          accept="image/png,image/jpeg,image/gif,image/webp,application/pdf,text/plain"
          onChange={({ currentTarget }) => setFiles([...(currentTarget.files ?? [])])}
        />
        <ErrorNotice error={action.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.busy || agent === ''}>
            Start
          </button>
        </div>
      </form>
    </Dialog>
  );
}
