/** Who decides for the person while they are away, and for whom the person decides. */
import { useEffect, useState } from 'preact/hooks';
import { samePerson } from '../../../../../src/shared/approval/approval';
import { endDeputy, type Deputy } from '../../api/deputies';
import { when } from '../../lib/format';
import { State } from '../../parts/badge';
import { Empty, ErrorNotice } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction } from '../../parts/use-load';
import { addDeputy, deputies, refreshDeputies } from '../../state/deputies';
import { me } from '../../state/me';
import { hasPasskey } from '../../state/passkeys';

export function Deputies() {
  useEffect(() => void refreshDeputies(), []);
  const list = deputies.value;
  if (list === null) return null;
  return (
    <section>
      <h2>Deputies</h2>
      <p class="hint">
        A deputy approves in your place for a time, in your roles. You and your deputy count as one person.
        {!hasPasskey() && ' Where signed decisions are required, a deputy counts only if you name them with a passkey or a key.'}
      </p>
      {list.length === 0 && <Empty>You have no deputy, and are nobody’s.</Empty>}
      <ul class="plain-list">
        {list.map((one) => (
          <Row key={one.id} deputy={one} />
        ))}
      </ul>
      <NameForm />
    </section>
  );
}

function Row({ deputy: { id, deputy, for: person, from, until, state, proof } }: { deputy: Deputy }) {
  const action = useAction();
  const isMine = samePerson(person, me.value?.principal ?? '');
  const lasts = state === 'planned' || state === 'active';
  return (
    <li>
      <strong>
        <Words of={isMine ? deputy : `You for ${person}`} />
      </strong>{' '}
      <State of={state} />{' '}
      <span class="soft">
        from {when(from)} until {when(until)}
        {proof === 'record' && ', not signed'}
      </span>{' '}
      {lasts && (
        <button
          type="button"
          class="quiet small"
          disabled={action.busy}
          aria-label={`End ${isMine ? deputy : `your part for ${person}`}`}
          onClick={() => void action.run(() => endDeputy(id)).then(refreshDeputies)}
        >
          End
        </button>
      )}
      <ErrorNotice error={action.error} />
    </li>
  );
}

/** The browser's own fields for times: their text is in the person's zone. */
const iso = (local: string) => new Date(local).toISOString();

function NameForm() {
  const [fields, setFields] = useState({ deputy: '', from: '', until: '' });
  const action = useAction();
  const set = (name: keyof typeof fields) => (event: { currentTarget: HTMLInputElement }) =>
    setFields({ ...fields, [name]: event.currentTarget.value });
  const send = () =>
    action.run(async () => {
      const { deputy, from, until } = fields;
      await addDeputy({ deputy, from: from === '' ? new Date().toISOString() : iso(from), until: iso(until) });
      setFields({ deputy: '', from: '', until: '' });
      await refreshDeputies();
    });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label for="deputy">Deputy (full name)</label>
      <input id="deputy" required maxLength={200} autocomplete="off" value={fields.deputy} onInput={set('deputy')} />
      <label for="deputy-from">From (empty: now)</label>
      <input id="deputy-from" type="datetime-local" value={fields.from} onInput={set('from')} />
      <label for="deputy-until">Until</label>
      <input id="deputy-until" type="datetime-local" required value={fields.until} onInput={set('until')} />
      <div class="choices">
        <button type="submit" class="primary" disabled={action.busy}>
          {hasPasskey() ? 'Name a deputy with passkey' : 'Name a deputy'}
        </button>
      </div>
      <ErrorNotice error={action.error} />
    </form>
  );
}
