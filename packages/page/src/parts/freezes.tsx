/** What is frozen, above every page. An admin ends a freeze here; `holdfast freeze` begins one. */
import { useEffect } from 'preact/hooks';
import { listFreezes, unfreeze, type FreezeView } from '../api/freezes';
import { isAdmin } from '../state/me';
import { ErrorNotice, Notice } from './notice';
import { Words } from './text';
import { useAction, useLoad } from './use-load';

const READ_EVERY_MS = 15_000;

export function Freezes() {
  const { data, reload } = useLoad('freezes', (signal) => listFreezes(signal));
  useEffect(() => {
    const timer = setInterval(reload, READ_EVERY_MS);
    return () => clearInterval(timer);
  }, []);
  const freezes = data?.freezes ?? [];
  if (freezes.length === 0) return null;
  return (
    <section aria-label="Frozen">
      {freezes.map((one) => (
        <Freeze freeze={one} onDone={reload} key={one.id} />
      ))}
    </section>
  );
}

function Freeze({ freeze: { id, scope, name, at, by, reason }, onDone }: { freeze: FreezeView; onDone: () => void }) {
  const ending = useAction();
  return (
    <Notice tone="warn" title="Frozen">
      <p>
        {scope === 'all' ? 'No destructive call runs' : `No destructive call of ${scope} `}
        {scope !== 'all' && <Words of={name} />}
        {scope !== 'all' && ' runs'}, since {at.slice(0, 16).replace('T', ' ')} UTC, by <Words of={by} />: <Words of={reason} />
      </p>
      {isAdmin.value && (
        <button
          type="button"
          class="small"
          disabled={ending.busy}
          onClick={() => void ending.run(() => unfreeze(id)).then((done) => done && onDone())}
        >
          End the freeze
        </button>
      )}
      <ErrorNotice error={ending.error} />
    </Notice>
  );
}
