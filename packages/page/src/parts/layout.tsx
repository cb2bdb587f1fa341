/** The frame of every page: the way to the pages that this person may see, and whether the gateway answers. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { isReachable } from '../api/http';
import { writeRoute, type Route } from '../lib/route';
import { announcement, connection, inboxItems } from '../state/inbox';
import { mayAudit, mayDecide, mayStart, me, seesAll, seesSchedules } from '../state/me';
import { route } from '../state/route';
import { Freezes } from './freezes';
import { Words } from './text';

interface Entry {
  to: Route;
  text: string;
  /** Further pages that belong to it. */
  also?: Route['page'][];
  count?: number;
}

function entries(): Entry[] {
  const list: (Entry | false)[] = [
    seesAll.value && { to: { page: 'inbox' }, text: 'Inbox', also: ['call'], count: inboxItems.value.length },
    { to: { page: 'turns' }, text: 'Turns', also: ['turn'] },
    (mayStart.value || seesAll.value) && { to: { page: 'sessions' }, text: 'Sessions', also: ['session'] },
    { to: { page: 'agents' }, text: 'Agents', also: ['agent'] },
    seesSchedules.value && { to: { page: 'schedules' }, text: 'Schedules', also: ['schedule'] },
    seesAll.value && { to: { page: 'budgets' }, text: 'Budgets' },
    seesAll.value && { to: { page: 'trail' }, text: 'Trail' },
    (mayAudit.value || mayDecide.value) && { to: { page: 'audit', turn: null }, text: 'Audit' },
  ];
  return list.filter((entry): entry is Entry => entry !== false);
}

function Navigation({ onGo }: { onGo: () => void }) {
  const here = route.value.page;
  return (
    <ul>
      {entries().map(({ to, text, also = [], count = 0 }) => (
        <li>
          <a href={writeRoute(to)} aria-current={to.page === here || also.includes(here) ? 'page' : undefined} onClick={onGo}>
            {text}
            {count > 0 && (
              <span class="count">
                {count}
                <span class="unseen-label"> waiting</span>
              </span>
            )}
          </a>
        </li>
      ))}
    </ul>
  );
}

export function Layout({ children }: { children: ComponentChildren }) {
  const [open, setOpen] = useState(false);
  const main = useRef<HTMLElement>(null);
  const place = writeRoute(route.value);
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [place]);
  const skip = (event: Event) => {
    event.preventDefault();
    main.current?.focus();
  };
  return (
    <div class="frame">
      <header class="bar">
        <a class="skip" href="#/" onClick={skip}>
          Skip to the content
        </a>
        <a class="brand" href="#/">
          holdfast
        </a>
        <button type="button" class="quiet menu" aria-expanded={open} aria-controls="navigation" onClick={() => setOpen(!open)}>
          Menu
        </button>
        <nav id="navigation" aria-label="Pages" class={open ? 'open' : ''}>
          <Navigation onGo={() => setOpen(false)} />
          <a
            class="person"
            href="#/me"
            aria-current={route.value.page === 'me' ? 'page' : undefined}
            onClick={() => setOpen(false)}
          >
            <span class="person-name">
              <Words of={me.value?.principal} />
            </span>
            <span class="person-roles">{me.value?.roles.join(', ')}</span>
          </a>
        </nav>
      </header>
      <Connection />
      <Freezes />
      <main ref={main} id="content" tabIndex={-1}>
        {children}
      </main>
      <div class="unseen-label" role="status" aria-live="polite">
        {announcement.value}
      </div>
    </div>
  );
}

/** Loss of the connection is said, since what the page shows is then of the past. */
function Connection() {
  if (isReachable.value && connection.value !== 'lost') return null;
  return (
    <div class="offline" role="status">
      No connection to the gateway. What you see may have changed since; the page tries again.
    </div>
  );
}

interface TitleProps {
  children: ComponentChildren;
  /** Of the window. */
  title: string;
  actions?: ComponentChildren;
}

/** The heading of a page; also the title of the window. */
export function Title({ children, title, actions }: TitleProps) {
  useEffect(() => {
    document.title = `${title} · holdfast`;
  }, [title]);
  return (
    <div class="page-head">
      <h1>{children}</h1>
      {actions && <div class="actions">{actions}</div>}
    </div>
  );
}
