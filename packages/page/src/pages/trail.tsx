/** The trail: decisions and destructive calls, over all turns. */
import { useState } from 'preact/hooks';
import { readTrail, type TrailPage as Page } from '../api/agents';
import { when } from '../lib/format';
import { writeRoute } from '../lib/route';
import { State } from '../parts/badge';
import { Title } from '../parts/layout';
import { Empty, ErrorNotice, Notice, Reading } from '../parts/notice';
import { Words } from '../parts/text';
import { useAction, useLoad } from '../parts/use-load';

const FILTERS = { tool: 'Tool', by: 'Decided by', requester: 'Requester', turn: 'Turn' } as const;
const HEADS = ['When', 'What', 'Tool', 'By', 'For', 'Turn', 'Proved'];

export function TrailPage() {
  const [query, setQuery] = useState<Record<string, string>>({});
  const [more, setMore] = useState<Page[]>([]);
  const first = useLoad(JSON.stringify(query), () => {
    setMore([]);
    return readTrail(query);
  });
  const next = useAction();
  const pages = first.data === null ? [] : [first.data, ...more];
  const entries = pages.flatMap((page) => page.entries);
  const cursor = pages.at(-1)?.next_cursor ?? null;
  const damaged = first.data?.damaged ?? 0;
  return (
    <>
      <Title title="Trail">Trail</Title>
      <div class="filters">
        {Object.entries(FILTERS).map(([name, label]) => (
          <label class="filter">
            <span class="unseen-label">{label}</span>
            <input
              type="search"
              placeholder={label}
              value={query[name] ?? ''}
              onChange={({ currentTarget: { value } }) => setQuery({ ...query, [name]: value.trim() })}
            />
          </label>
        ))}
      </div>
      <ErrorNotice error={first.error} retry={first.reload} />
      {damaged > 0 && <Notice tone="bad" title={`${damaged} entries cannot be read`} />}
      {first.data === null && !first.error && <Reading />}
      {first.data && entries.length === 0 && <Empty>Nothing was decided and nothing ran.</Empty>}
      {entries.length > 0 && <Table entries={entries} />}
      {cursor !== null && (
        <p>
          <button
            type="button"
            disabled={next.busy}
            onClick={() => void next.run(async () => setMore([...more, await readTrail({ ...query, cursor })]))}
          >
            More
          </button>
        </p>
      )}
      <ErrorNotice error={next.error} />
    </>
  );
}

/** What an entry is about. */
const KINDS: Record<string, string> = { admission: 'call', dispatch: 'start' };

function Table({ entries }: { entries: Page['entries'] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Trail">
      <table>
        <thead>
          <tr>
            {HEADS.map((head) => (
              <th scope="col">{head}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {entries.map(({ at, kind, state, tool, by, requester, turn_id, call_id, verified, workflow_id }) => (
            <tr>
              <td class="time" data-label="When">
                {when(at)}
              </td>
              <td data-label="What">
                <span>
                  {KINDS[kind] ?? kind} <State of={state} />
                </span>
              </td>
              <td data-label="Tool">
                <Words of={tool} />
              </td>
              <td data-label="By">
                <Words of={by} />
              </td>
              <td data-label="For">
                <Words of={requester} />
              </td>
              <td data-label="Turn">
                {turn_id === '' ? (
                  <Words of={workflow_id} />
                ) : (
                  <a href={writeRoute({ page: 'turn', turn: turn_id })}>
                    <Words of={`${turn_id.slice(0, 16)} ${call_id}`} />
                  </a>
                )}
              </td>
              <td data-label="Proved">{verified ? 'yes' : 'no: its block is missing or says otherwise'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
