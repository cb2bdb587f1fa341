/** The passkeys of the person, and registering one. */
import { useEffect } from 'preact/hooks';
import { removePasskey } from '../../api/passkeys';
import { when } from '../../lib/format';
import { State } from '../../parts/badge';
import { Empty, ErrorNotice } from '../../parts/notice';
import { Code } from '../../parts/text';
import { useAction } from '../../parts/use-load';
import { passkeys, refreshPasskeys, registerNewPasskey } from '../../state/passkeys';

/** How soon the page shows that a passkey was enrolled. */
const LOOK_AGAIN_MS = 5_000;

export function Passkeys() {
  const action = useAction();
  const list = passkeys.value;
  const waits = list?.some(({ state }) => state === 'waiting') ?? false;
  useEffect(() => void refreshPasskeys(), []);
  useEffect(() => {
    const look = () => document.visibilityState === 'visible' && void refreshPasskeys();
    const timer = waits ? setInterval(look, LOOK_AGAIN_MS) : undefined;
    return () => clearInterval(timer);
  }, [waits]);
  if (list === null) return null;
  return (
    <section>
      <h2>Passkeys</h2>
      <p class="hint">
        With a passkey you sign each decision yourself. It counts once somebody whom the workers trust has confirmed that it is
        yours.
      </p>
      {list.length === 0 && <Empty>You have no passkey here.</Empty>}
      <ul class="plain-list">
        {list.map(({ id, fingerprint, state, registered_at, roles }) => (
          <li>
            <Code of={id} /> <State of={state === 'waiting' ? 'waits for enrolment' : state} />{' '}
            <span class="soft">since {when(registered_at)}</span>{' '}
            {roles.length > 0 && <span class="soft">as {roles.join(', ')}</span>}
            {state === 'waiting' && (
              <p class="hint">
                Compare this fingerprint with the person who enrols it: <Code of={fingerprint} />
              </p>
            )}
            {state !== 'enrolled' && (
              <button
                type="button"
                class="quiet small"
                disabled={action.busy}
                onClick={() => void action.run(() => removePasskey(id)).then(refreshPasskeys)}
              >
                Remove
              </button>
            )}
          </li>
        ))}
      </ul>
      <button
        type="button"
        class="primary"
        disabled={action.busy}
        onClick={() => void action.run(registerNewPasskey).then(refreshPasskeys)}
      >
        Register a passkey
      </button>
      <ErrorNotice error={action.error} />
    </section>
  );
}
