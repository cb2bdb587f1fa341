/** For admins: the passkeys that wait for their enrolment, with the command that enrols them. The key for it is not in any browser. */
import { listWaitingPasskeys } from '../../api/passkeys';
import { when } from '../../lib/format';
import { Empty, ErrorNotice, Reading } from '../../parts/notice';
import { Code, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';

export function WaitingPasskeys() {
  const { data, error, reload } = useLoad('waiting passkeys', listWaitingPasskeys);
  return (
    <section>
      <h2>Passkeys that wait for enrolment</h2>
      <p class="hint">
        Ask the person for the fingerprint, not by a message that others could have written. If it is the same, run the command
        where the key of the enroller lies.
      </p>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.passkeys.length === 0 && <Empty>No passkey waits for enrolment.</Empty>}
      <ul class="plain-list">
        {data?.passkeys.map(({ id, principal, fingerprint, registered_at }) => (
          <li key={id}>
            <strong>
              <Words of={principal} />
            </strong>{' '}
            <span class="soft">registered {when(registered_at)}</span>
            <p>
              Fingerprint <Code of={fingerprint} />
            </p>
            <pre class="command">holdfast keys enroll {id} --key ENROLLER.pem</pre>
          </li>
        ))}
      </ul>
    </section>
  );
}
