/** One turn: how it stands, what waits in it, what happened, what it cost; to steer and to cancel it. */
import { useRef, useState } from 'preact/hooks';
import type { ShownTurn } from '../../../../../src/shapes/turn-view';
import { addressOf } from '../../api/http';
import { bundleOf, cancelTurn, readTurn, reportOf, steerTurn } from '../../api/turns';
import { headline, plural, when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { State } from '../../parts/badge';
import { Dialog } from '../../parts/dialog';
import { Title } from '../../parts/layout';
import { ErrorNotice, Notice } from '../../parts/notice';
import { PendingPage } from '../../parts/pending-page';
import { Lines, Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { mayAudit, mayManage } from '../../state/me';
import { useTurnEvents } from '../../state/follow-turn';
import { Calls } from './calls';
import { Costs } from './costs';
import { Files } from './files';
import { Timeline } from './timeline';
import { Transcript } from './transcript';

const TABS = { timeline: 'What happened', transcript: 'Transcript', calls: 'Calls', files: 'Files', costs: 'Costs' } as const;
type Tab = keyof typeof TABS;

export function TurnPage({ turn }: { turn: string }) {
  const { data, error, reload } = useLoad(turn, (signal) => readTurn(turn, signal));
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  // Many events come at once when an old turn is opened.
  const followed = useTurnEvents(turn, () => {
    clearTimeout(timer.current);
    timer.current = setTimeout(reload, 250);
  });
  const [tab, setTab] = useState<Tab>('timeline');
  if (data === null) return <PendingPage title={`Turn ${turn}`} what="Reading the turn" error={error} retry={reload} />;
  return (
    <div class="turn">
      <Title title={`Turn ${turn}`} actions={<Actions view={data} onDone={reload} />}>
        Turn <Words of={turn} />
      </Title>
      <ErrorNotice error={error} retry={reload} />
      <Facts view={data} />
      {data.waits_for && followed.waits === '' && (
        <p class="soft">
          The turn <Words of={data.waits_for.text} />.
        </p>
      )}
      {data.sleep && (
        <p class="soft">
          The turn sleeps until {when(data.sleep.until)}: <Words of={data.sleep.reason} />
        </p>
      )}
      {data.frozen && (
        <p class="soft">
          A call waits: <Words of={data.frozen} />.
        </p>
      )}
      <Waiting view={data} />
      <div class="tabs" role="tablist" aria-label="Parts of the turn">
        {(Object.keys(TABS) as Tab[]).map((name) => (
          <button
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={tab === name}
            aria-controls="part"
            onClick={({ currentTarget }) => {
              setTab(name);
              // On a phone the row of tabs is wider than the window.
              currentTarget.scrollIntoView({ block: 'nearest', inline: 'nearest' });
            }}
          >
            {TABS[name]}
          </button>
        ))}
      </div>
      <div id="part" role="tabpanel" aria-labelledby={`tab-${tab}`} tabIndex={0}>
        {tab === 'timeline' && <Timeline turn={turn} followed={followed} />}
        {tab === 'transcript' && <Transcript turn={turn} revision={data.head ?? ''} />}
        {tab === 'calls' && <Calls view={data} />}
        {tab === 'files' && <Files turn={turn} revision={data.head ?? ''} />}
        {tab === 'costs' && <Costs view={data} events={followed.events} />}
      </div>
    </div>
  );
}

function Facts({ view }: { view: ShownTurn }) {
  const { state, agent, requester, started_at, ended_at, session_id, parent, reason, text, steered_by = [], ui_url } = view;
  return (
    <>
      <p class="row-facts">
        <State of={state} />
        <span>
          agent{' '}
          <a href={writeRoute({ page: 'agent', agent })}>
            <Words of={agent} />
          </a>
        </span>
        <span>
          for <Words of={requester} />
        </span>
        <span>began {when(started_at)}</span>
        {ended_at && <span>ended {when(ended_at)}</span>}
        {session_id && <a href={writeRoute({ page: 'session', session: session_id })}>its session</a>}
        {parent && <a href={writeRoute({ page: 'turn', turn: parent.turn_id })}>the turn above</a>}
        {ui_url && /^https?:\/\//.test(ui_url) && (
          <a href={ui_url} rel="noreferrer" target="_blank">
            Temporal Web UI
          </a>
        )}
      </p>
      {steered_by.length > 0 && (
        <p>
          Told the model something, or changed a call, meanwhile: <Words of={steered_by.join(', ')} />
        </p>
      )}
      {reason && (
        <Notice tone="warn">
          <Lines of={reason} />
        </Notice>
      )}
      {ended_at && text !== '' && (
        <section class="answer">
          <h2>Answer</h2>
          <Lines of={text} />
        </section>
      )}
    </>
  );
}

function Waiting({ view }: { view: ShownTurn }) {
  if (view.waiting.length === 0)
    return view.pending.length === 0 ? null : (
      <Notice tone="warn">
        {plural(view.pending.length, 'call waits, but its card', 'calls wait, but their cards')} cannot be read now. Reload the
        page in a moment.
      </Notice>
    );
  return (
    <Notice tone="warn" title="Waits for a person">
      <ul>
        {view.waiting.map(({ digest, card }) => (
          <li>
            <a href={writeRoute({ page: 'call', turn: view.turn_id, digest })}>
              <Words of={headline(card)} />
            </a>
          </li>
        ))}
      </ul>
    </Notice>
  );
}

function Actions({ view, onDone }: { view: ShownTurn; onDone: () => void }) {
  const [asked, setAsked] = useState<'steer' | 'cancel' | null>(null);
  const runs = view.ended_at === null;
  return (
    <>
      {runs && mayManage(view.requester) && (
        <>
          <button type="button" class="small" onClick={() => setAsked('steer')}>
            Say something …
          </button>
          <button type="button" class="small bad" onClick={() => setAsked('cancel')}>
            Cancel the turn …
          </button>
        </>
      )}
      {mayAudit.value && (
        <>
          <a class="button small" href={addressOf(bundleOf(view.turn_id))} download>
            Bundle
          </a>
          <a class="button small" href={addressOf(reportOf(view.turn_id))} download>
            Report
          </a>
          <a class="button small" href={writeRoute({ page: 'audit', turn: view.turn_id })}>
            Verify
          </a>
        </>
      )}
      {asked === 'steer' && <Steer view={view} onClose={() => setAsked(null)} onDone={onDone} />}
      {asked === 'cancel' && <Cancel view={view} onClose={() => setAsked(null)} onDone={onDone} />}
    </>
  );
}

interface DialogProps {
  view: ShownTurn;
  onClose: () => void;
  onDone: () => void;
}

function Steer({ view, onClose, onDone }: DialogProps) {
  const [text, setText] = useState('');
  const action = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!(await action.run((key) => steerTurn(view.turn_id, text, key), [view.turn_id, text]))) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Say something to the model" onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="hint">
          It reads this before its next step. You count as a maker of later calls, and under four eyes may not approve them.
        </p>
        <label for="steer">Message</label>
        <textarea
          id="steer"
          rows={4}
          required
          maxLength={4000}
          value={text}
          onInput={({ currentTarget: { value } }) => setText(value)}
        />
        <ErrorNotice error={action.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Back
          </button>
          <button type="submit" class="primary" disabled={action.busy}>
            Send
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function Cancel({ view, onClose, onDone }: DialogProps) {
  const action = useAction();
  const submit = async () => {
    if (!(await action.run(() => cancelTurn(view.turn_id)))) return;
    onDone();
    onClose();
  };
  return (
    <Dialog title="Cancel this turn?" onClose={onClose}>
      <p>Running tools are stopped first, then the turn ends. What was done stays done.</p>
      <ErrorNotice error={action.error} />
      <div class="actions end">
        <button type="button" onClick={onClose}>
          Back
        </button>
        <button type="button" class="bad" disabled={action.busy} onClick={() => void submit()}>
          Cancel the turn
        </button>
      </div>
    </Dialog>
  );
}
