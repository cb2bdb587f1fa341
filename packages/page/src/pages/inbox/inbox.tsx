/** The inbox: all that waits for a person, what expires first at the top. */
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { WaitingItem } from '../../api/waiting';
import { isFiltering, matches, NO_FILTER, type Filter } from '../../lib/filter';
import { plural } from '../../lib/format';
import { Empty, ErrorNotice, Notice, Reading } from '../../parts/notice';
import { Title } from '../../parts/layout';
import { Words } from '../../parts/text';
import { connection, isLoaded, listFault, loadError, reading, inboxItems, unreachable } from '../../state/inbox';
import { mayDecide } from '../../state/me';
import { goTo } from '../../state/route';
import { singleKeys } from '../../state/single-keys';
import { Filters } from './filters';
import { KeyHelp } from './key-help';
import { keyAction } from './keys';
import { List } from './list';
import { Review } from './review';

interface Asked {
  decision: 'approve' | 'deny';
  items: WaitingItem[];
}

/** Stays while the page is open, so that coming back from a call finds the list as it was left. */
let lastFilter = NO_FILTER;
let lastCurrent: string | null = null;

export function InboxPage() {
  const [filter, setFilter] = useState<Filter>(lastFilter);
  const [current, setCurrent] = useState<string | null>(lastCurrent);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asked, setAsked] = useState<Asked | null>(null);
  const [help, setHelp] = useState(false);
  const search = useRef<HTMLInputElement>(null);
  const shown = inboxItems.value.filter((item) => matches(filter, item));
  lastFilter = filter;
  lastCurrent = current;

  const maySelect = ({ card }: WaitingItem) => mayDecide.value && card.kind === 'approval';
  const chosen = shown.filter((item) => selected.has(item.key) && maySelect(item));
  const select = (key: string, on: boolean) => {
    const next = new Set(selected);
    if (on) next.add(key);
    else next.delete(key);
    setSelected(next);
  };
  const ask = (decision: Asked['decision']) => {
    const one = shown.find(({ key }) => key === current);
    const which = chosen.length > 0 ? chosen : one && maySelect(one) ? [one] : [];
    if (mayDecide.value && which.length > 0) setAsked({ decision, items: which });
  };

  // Before the next key can come: keys may follow each other faster than pictures.
  useLayoutEffect(() => {
    if (asked !== null || help) return undefined;
    const onKey = (event: KeyboardEvent) => {
      const action = keyAction(event, singleKeys.value);
      if (action === null) return;
      event.preventDefault();
      const index = shown.findIndex(({ key }) => key === current);
      const move = (to: number) => setCurrent(shown[Math.min(Math.max(0, to), shown.length - 1)]?.key ?? null);
      const item = shown[index];
      switch (action) {
        case 'next':
          return move(index + 1);
        case 'previous':
          return move(index < 0 ? 0 : index - 1);
        case 'open':
          return item && goTo({ page: 'call', turn: item.turn_id, digest: item.card.digest });
        case 'select':
          return item && maySelect(item) && select(item.key, !selected.has(item.key));
        case 'approve':
        case 'deny':
          return ask(action);
        case 'search':
          return search.current?.focus();
        case 'help':
          return setHelp(true);
        case 'leave':
          if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
          return chosen.length > 0 && setSelected(new Set());
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  });

  return (
    <div class="inbox">
      <Title
        title={`Inbox (${inboxItems.value.length})`}
        actions={
          <>
            <Live />
            <button type="button" class="quiet small" onClick={() => setHelp(true)}>
              Keys {singleKeys.value && <kbd>?</kbd>}
            </button>
          </>
        }
      >
        Inbox
      </Title>
      <Filters all={inboxItems.value} filter={filter} onFilter={setFilter} search={search} />
      <div class="selection" role="status">
        <span>{count(shown.length, inboxItems.value.length, chosen.length)}</span>
        {chosen.length > 0 && (
          <span class="actions">
            <button type="button" class="small good" onClick={() => ask('approve')}>
              Approve {chosen.length} …
            </button>
            <button type="button" class="small bad" onClick={() => ask('deny')}>
              Deny {chosen.length} …
            </button>
            <button type="button" class="small quiet" onClick={() => setSelected(new Set())}>
              Select none
            </button>
          </span>
        )}
      </div>
      <ErrorNotice error={loadError.value} />
      {!isLoaded.value && !loadError.value && <Reading what="Reading what waits" />}
      {reading.value && <Reading what={`Reading what waits: ${reading.value.done} of ${reading.value.total} turns`} />}
      {listFault.value && (
        <Notice tone="warn" title="The list may be out of date">
          <p>
            <Words of={listFault.value} />
          </p>
        </Notice>
      )}
      {unreachable.value.length > 0 && <Unreachable />}
      {isLoaded.value && shown.length === 0 && (
        <Empty>{isFiltering(filter) ? 'Nothing that waits fits the filter.' : 'Nothing waits for a person.'}</Empty>
      )}
      <List items={shown} current={current} selected={selected} maySelect={maySelect} onCurrent={setCurrent} onSelect={select} />
      {asked && (
        <Review
          decision={asked.decision}
          items={asked.items}
          onClose={() => {
            setAsked(null);
            setSelected(new Set());
          }}
        />
      )}
      {help && <KeyHelp onClose={() => setHelp(false)} />}
    </div>
  );
}

function count(shown: number, all: number, chosen: number): string {
  if (chosen > 0) return `${chosen} selected`;
  return shown === all ? plural(all, 'call waits', 'calls wait') : `${shown} of ${plural(all, 'call')}`;
}

function Live() {
  const isLive = connection.value === 'live';
  return (
    <span
      class={`live ${isLive ? 'on' : ''}`}
      title={isLive ? 'New calls appear by themselves.' : 'The list is read every few seconds.'}
    >
      {isLive ? 'live' : 'every 5 s'}
    </span>
  );
}

function Unreachable() {
  return (
    <details class="unreachable">
      <summary>
        {plural(unreachable.value.length, 'turn waits, but its card', 'turns wait, but their cards')} cannot be read
      </summary>
      <Notice tone="warn">
        <p>Nobody is asked about a call whose card cannot be read. It appears here as soon as it can.</p>
        <ul>
          {unreachable.value.slice(0, 50).map(({ turn_id, why }) => (
            <li>
              <Words of={`${turn_id}: ${why}`} />
            </li>
          ))}
        </ul>
      </Notice>
    </details>
  );
}
