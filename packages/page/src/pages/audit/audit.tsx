/** Audit: fetch the bundle of a turn, verify it, read its report. */
import { useState } from 'preact/hooks';
import { addressOf } from '../../api/http';
import { bundleOf, reportOf } from '../../api/turns';
import { Title } from '../../parts/layout';
import { goTo } from '../../state/route';

export function AuditPage({ turn }: { turn: string | null }) {
  const [id, setId] = useState(turn ?? '');
  return (
    <>
      <Title title="Audit">Audit</Title>
      <form
        class="check"
        onSubmit={(event) => {
          event.preventDefault();
          goTo({ page: 'audit', turn: id.trim() });
        }}
      >
        <label for="audit-turn">Turn</label>
        <input id="audit-turn" required value={id} onInput={({ currentTarget: { value } }) => setId(value)} />
        <button type="submit">Look</button>
      </form>
      {turn !== null && (
        <p class="actions">
          <a class="button" href={addressOf(bundleOf(turn))} download>
            Download the bundle
          </a>
          <a class="button" href={addressOf(reportOf(turn))} download>
            Download the report
          </a>
        </p>
      )}
    </>
  );
}
