/** Chooses the page: first who somebody is, then where that person wants to go. */
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { ErrorNotice, Notice, Reading } from './parts/notice';
import { Layout, Title } from './parts/layout';
import { AgentPage } from './pages/agents/agent';
import { AgentsPage } from './pages/agents/agents';
import { BudgetsPage } from './pages/budgets';
import { CallPage } from './pages/call/call';
import { InboxPage } from './pages/inbox/inbox';
import { PersonPage } from './pages/person/person';
import { SchedulePage } from './pages/schedules/schedule';
import { SchedulesPage } from './pages/schedules/schedules';
import { SessionPage } from './pages/sessions/session';
import { SessionsPage } from './pages/sessions/sessions';
import { SignInPage } from './pages/sign-in';
import { TrailPage } from './pages/trail';
import { TurnPage } from './pages/turn/turn';
import { TurnsPage } from './pages/turn/turns';
import { asApiError, type ApiError } from './api/http';
import { startInbox, stopInbox } from './state/inbox';
import { me, refreshMe, seesAll, signIn } from './state/me';
import { goTo, route } from './state/route';

export function App() {
  useEffect(() => void refreshMe(), []);
  const state = signIn.value;
  const principal = me.value?.principal;
  useEffect(() => {
    if (principal === undefined || !seesAll.value) return undefined;
    startInbox();
    return stopInbox;
  }, [principal]);
  switch (state.is) {
    case 'unknown':
      return <Reading />;
    case 'failed':
      return (
        <main class="alone">
          <h1>holdfast</h1>
          <ErrorNotice error={state.error} retry={() => void refreshMe()} />
        </main>
      );
    case 'out':
      return <SignInPage ended={state.ended} />;
    case 'in':
      return (
        <Layout>
          <Page />
        </Layout>
      );
  }
}

function Page() {
  const here = route.value;
  switch (here.page) {
    case 'inbox':
      return seesAll.value ? <InboxPage /> : <TurnsPage />;
    case 'call':
      return <CallPage key={`${here.turn} ${here.digest}`} turn={here.turn} digest={here.digest} />;
    case 'turns':
      return <TurnsPage />;
    case 'turn':
      return <TurnPage key={here.turn} turn={here.turn} />;
    case 'sessions':
      return <SessionsPage />;
    case 'session':
      return <SessionPage key={here.session} session={here.session} />;
    case 'agents':
      return <AgentsPage />;
    case 'agent':
      return <AgentPage key={here.agent} agent={here.agent} />;
    case 'schedules':
      return <SchedulesPage />;
    case 'schedule':
      return <SchedulePage key={here.schedule} schedule={here.schedule} />;
    case 'budgets':
      return <BudgetsPage />;
    case 'trail':
      return <TrailPage />;
    case 'audit':
      return <Audit key={here.turn ?? ''} turn={here.turn} />;
    case 'me':
      return <PersonPage />;
    case 'unknown':
      return (
        <>
          <Title title="Not found">There is no such page</Title>
          <Notice>
            <p>The address is not one of this page. It may have been cut when it was copied.</p>
            <button type="button" onClick={() => goTo({ page: 'inbox' })}>
              To the inbox
            </button>
          </Notice>
        </>
      );
  }
}

/** The verifier is large: it is loaded when somebody audits. */
function Audit({ turn }: { turn: string | null }) {
  const [page, setPage] = useState<{ Audit: ComponentType<{ turn: string | null }> } | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    import('./pages/audit/audit').then(
      ({ AuditPage }) => setPage({ Audit: AuditPage }),
      (wrong: unknown) => setError(asApiError(wrong)),
    );
  }, []);
  if (error !== null) return <ErrorNotice error={error} />;
  return page === null ? <Reading /> : <page.Audit turn={turn} />;
}
