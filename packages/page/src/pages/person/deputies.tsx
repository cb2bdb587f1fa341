/** Who decides in the person's place, and from when until when. */
import { useState } from 'preact/hooks';
import { endDeputy, listDeputies, nameDeputy } from '../../api/passkeys';
import { when } from '../../lib/format';
import { Empty, ErrorNotice } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';

export function Deputies() {
  const known = useLoad('deputies', () => listDeputies().catch(() => null));
  const [deputy, setDeputy] = useState('');
  const [from, setFrom] = useState('');
  const [until, setUntil] = useState('');
  const action = useAction();
  if (known.data === null) return null;
  const submit = async (event: Event) => {
    event.preventDefault();
    const iso = (local: string) => new Date(local).toISOString();
    if (!(await action.run(() => nameDeputy(deputy.trim(), iso(from), iso(until))))) return;
    setDeputy('');
    known.reload();
  };
  return (
    <section>
      <h2>Deputies</h2>
      <p class="hint">
        A deputy decides in your place for a while, with your roles. Each such decision is recorded as yours and the deputy’s.
      </p>
      {known.data.deputies.length === 0 && <Empty>Nobody decides in your place.</Empty>}
      <ul class="plain-list">
        {known.data.deputies.map((one) => (
          <li>
            <Words of={one.deputy} /> <span class="soft">for</span> <Words of={one.principal} />, {when(one.from)} to{' '}
            {when(one.until)}{' '}
            {one.ended_at ? (
              <span class="soft">ended {when(one.ended_at)}</span>
            ) : (
              <button
                type="button"
                class="quiet small"
                disabled={action.busy}
                onClick={() => void action.run(() => endDeputy(one.id)).then(known.reload)}
              >
                End
              </button>
            )}
          </li>
        ))}
      </ul>
      <form class="deputy" onSubmit={(event) => void submit(event)}>
        <label for="deputy">Name of the deputy</label>
        <input id="deputy" required value={deputy} onInput={({ currentTarget: { value } }) => setDeputy(value)} />
        <label for="deputy-from">From</label>
        <input
          id="deputy-from"
          type="datetime-local"
          required
          value={from}
          onInput={({ currentTarget: { value } }) => setFrom(value)}
        />
        <label for="deputy-until">Until</label>
        <input
          id="deputy-until"
          type="datetime-local"
          required
          value={until}
          onInput={({ currentTarget: { value } }) => setUntil(value)}
        />
        <button type="submit" disabled={action.busy}>
          Name the deputy
        </button>
      </form>
      <ErrorNotice error={action.error} />
    </section>
  );
}
