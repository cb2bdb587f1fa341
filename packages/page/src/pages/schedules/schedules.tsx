/** The schedules: what runs by itself, when next, and how it went last. */
import { listSchedules, type Firing, type Schedule } from '../../api/schedules';
import { stateInWords, when } from '../../lib/format';
import { writeRoute } from '../../lib/route';
import { Badge, State } from '../../parts/badge';
import { Title } from '../../parts/layout';
import { Empty, ErrorNotice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';

export function SchedulesPage() {
  const { data, error, reload } = useLoad('schedules', listSchedules);
  const actions = (
    <button type="button" class="small" onClick={reload}>
      Read again
    </button>
  );
  return (
    <>
      <Title title="Schedules" actions={actions}>
        Schedules
      </Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.schedules.length === 0 && <Empty>No schedules. An app defines them, or `holdfast schedule create`.</Empty>}
      {data && data.schedules.length > 0 && <Table schedules={data.schedules} />}
    </>
  );
}

function Table({ schedules }: { schedules: Schedule[] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Schedules">
      <table>
        <thead>
          <tr>
            <th scope="col">Schedule</th>
            <th scope="col">Agent</th>
            <th scope="col">When</th>
            <th scope="col">Next</th>
            <th scope="col">Last turn</th>
          </tr>
        </thead>
        <tbody>
          {schedules.map((one) => (
            <tr key={one.name}>
              <td data-label="Schedule">
                <a href={writeRoute({ page: 'schedule', schedule: one.name })}>
                  <Words of={one.name} />
                </a>
              </td>
              <td data-label="Agent">
                <Words of={one.agent} />
              </td>
              <td data-label="When">
                <Words of={one.when} />
              </td>
              <td data-label="Next" class="time">
                <Next schedule={one} />
              </td>
              <td data-label="Last turn">{one.firings[0] === undefined ? 'none' : <FiringState firing={one.firings[0]} />}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Next({ schedule: { paused, note, next } }: { schedule: Schedule }) {
  if (!paused) return <>{next[0] === undefined ? 'never' : when(next[0])}</>;
  return (
    <>
      <Badge tone="warn">paused</Badge> <Words of={note ?? ''} />
    </>
  );
}

/** Whether the firing has a turn that can be shown. */
export function hasTurn({ state }: Firing): boolean {
  return !['starting', 'not_started', 'unknown'].includes(state);
}

export function FiringState({ firing }: { firing: Firing }) {
  if (!hasTurn(firing)) return <Badge>{stateInWords(firing.state)}</Badge>;
  return (
    <a href={writeRoute({ page: 'turn', turn: firing.turn_id })} aria-label={`Turn ${firing.turn_id}`}>
      <State of={firing.state} />
    </a>
  );
}
