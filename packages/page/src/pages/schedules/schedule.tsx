/** One schedule: its times, its last turns, and for administrators: pause, resume and run now. */
import { useEffect, useState } from 'preact/hooks';
import { pauseSchedule, readSchedule, resumeSchedule, triggerSchedule, type Schedule } from '../../api/schedules';
import { clock, dollars, duration, stateInWords, when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { Badge, State } from '../../parts/badge';
import { Dialog } from '../../parts/dialog';
import { Facts } from '../../parts/facts';
import { Title } from '../../parts/layout';
import { Empty, ErrorNotice, Notice } from '../../parts/notice';
import { PendingPage } from '../../parts/pending-page';
import { Lines, Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { isAdmin } from '../../state/me';
import { hasTurn } from './schedules';

const LOOK_AGAIN_MS = 3_000;

export function SchedulePage({ schedule: name }: { schedule: string }) {
  const { data, error, reload } = useLoad(name, () => readSchedule(name));
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  if (data === null) return <PendingPage title={`Schedule ${name}`} what="Reading the schedule" error={error} retry={reload} />;
  return (
    <>
      <Title title={`Schedule ${name}`} actions={isAdmin.value && <Actions schedule={data} onDone={reload} />}>
        Schedule <Words of={name} />
      </Title>
      <ErrorNotice error={error} retry={reload} />
      {data.paused && (
        <Notice tone="warn" title="Paused">
          <p>
            <Words of={data.note ?? ''} />
          </p>
          <p>Nothing begins by itself until it is resumed.</p>
        </Notice>
      )}
      <Facts rows={factsOf(data)} />
      <h2>Message</h2>
      <Lines of={data.message} />
      <h2>Last turns</h2>
      <Firings schedule={data} />
    </>
  );
}

const OVERLAPS: Readonly<Record<Schedule['overlap'], string>> = {
  skip: 'the time is skipped',
  buffer_one: 'one turn begins afterwards',
  buffer_all: 'each turn begins afterwards',
  cancel_other: 'the turn that goes on is cancelled',
  allow_all: 'both run',
};

function factsOf({
  when: times,
  agent,
  requester,
  next,
  overlap,
  catchup_ms,
  cost,
  origin,
  ...rest
}: Schedule): [string, string][] {
  const { taken, skipped, missed, paused, note, every_ms } = rest;
  const short = every_ms !== null && every_ms % 60_000 !== 0;
  return [
    ['When', times],
    [
      'Next',
      paused
        ? 'paused'
        : next
            .slice(0, 3)
            .map(short ? clock : when)
            .join('; ') || 'never',
    ],
    ['Agent', agent],
    ['As', requester],
    ['If a turn goes on', OVERLAPS[overlap]],
    ['Late by at most', duration(catchup_ms)],
    ...(cost === null ? [] : [['Budget', `${dollars(cost.cost_usd)} in ${duration(cost.window_ms)}`] as [string, string]]),
    ['Fired', `${taken} (skipped ${skipped}, missed ${missed})`],
    ['Defined by', origin === 'app' ? 'the app' : 'a command'],
    ...(paused || note === null ? [] : [['Note', note] as [string, string]]),
  ];
}

function Firings({ schedule: { firings } }: { schedule: Schedule }) {
  if (firings.length === 0) return <Empty>It has not fired yet.</Empty>;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Last turns">
      <table>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Turn</th>
            <th scope="col">State</th>
          </tr>
        </thead>
        <tbody>
          {firings.map((firing) => (
            <tr key={`${firing.turn_id} ${firing.started_at}`}>
              <td data-label="Time" class="time">
                {when(firing.scheduled_at)}
              </td>
              <td data-label="Turn">
                {hasTurn(firing) ? (
                  <a href={writeRoute({ page: 'turn', turn: firing.turn_id })}>
                    <Words of={firing.turn_id} />
                  </a>
                ) : (
                  <Words of={firing.reason ?? ''} />
                )}
              </td>
              <td data-label="State">
                {hasTurn(firing) ? <State of={firing.state} /> : <Badge>{stateInWords(firing.state)}</Badge>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Actions({ schedule: { name, paused }, onDone }: { schedule: Schedule; onDone: () => void }) {
  const [asks, setAsks] = useState(false);
  const action = useAction();
  const trigger = () => void action.run((key) => triggerSchedule(name, key), [name]).then((done) => done && onDone());
  return (
    <>
      <button type="button" class="small" disabled={action.busy} onClick={trigger}>
        Run now
      </button>
      <button type="button" class="small primary" onClick={() => setAsks(true)}>
        {paused ? 'Resume …' : 'Pause …'}
      </button>
      <ErrorNotice error={action.error} />
      {asks && <NoteDialog name={name} paused={paused} onClose={() => setAsks(false)} onDone={onDone} />}
    </>
  );
}

interface NoteProps {
  name: string;
  paused: boolean;
  onClose: () => void;
  onDone: () => void;
}

function NoteDialog({ name, paused, onClose, onDone }: NoteProps) {
  const [note, setNote] = useState('');
  const action = useAction();
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!(await action.run(() => (paused ? resumeSchedule : pauseSchedule)(name, note)))) return;
    onClose();
    onDone();
  };
  return (
    <Dialog title={paused ? `Resume ${name}` : `Pause ${name}`} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <p class="hint">
          {paused
            ? 'Times that have passed while it was paused do not begin a turn.'
            : 'No turn begins by itself until it is resumed. Turns that have begun go on.'}
        </p>
        <label for="note">Why (for people; your name is added)</label>
        <input
          id="note"
          maxLength={400}
          autocomplete="off"
          value={note}
          onInput={({ currentTarget }) => setNote(currentTarget.value)}
        />
        <ErrorNotice error={action.error} />
        <div class="actions end">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.busy}>
            {paused ? 'Resume' : 'Pause'}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
