/**
 * One waiting call: its card in the order in which a person should read it, and beside it the decision. If the card changes while
 * it is open, that is said, and nothing can be decided before the person has looked again. After one's own decision the card follows by
 * itself, since nothing is left to decide.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Question, ShownTurn } from '../../../../../src/shapes/turn-view';
import { readTurn } from '../../api/turns';
import { changedParts } from '../../lib/card-changes';
import { headline, expiryOf } from '../../lib/format';
import { isQuestion } from '../../lib/kind';
import { writeRoute } from '../../lib/route';
import { Badge, KINDS, State } from '../../parts/badge';
import { ErrorNotice, Notice } from '../../parts/notice';
import { PendingPage } from '../../parts/pending-page';
import { Title } from '../../parts/layout';
import { Digest, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';
import { now } from '../../state/clock';
import { changes, inboxItems } from '../../state/inbox';
import { mayDecide } from '../../state/me';
import { Card } from './card';
import { DecidePanel } from './decide';

const LOOK_AGAIN_MS = 10_000;

export function CallPage({ turn, digest }: { turn: string; digest: string }) {
  const { data, error, reload } = useLoad(turn, (signal) => readTurn(turn, signal));
  const [seen, setSeen] = useState<Question | null>(null);
  const [decided, setDecided] = useState<Question['card']['kind'] | null>(null);
  useEffect(reload, [changes.value]);
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === 'visible' && reload(), LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, []);
  const present = data?.waiting.find((one) => one.digest.startsWith(digest)) ?? null;
  useEffect(() => {
    if (present !== null && (seen === null || present.card.kind === decided)) setSeen(present);
  }, [present]);

  if (data === null) return <PendingPage title="Call" what="Reading the card" error={error} retry={reload} />;
  const shown = seen ?? present;
  if (shown === null) return <NotWaiting view={data} digest={digest} />;
  const changed = present === null ? [] : changedParts(shown, present);
  const left = present === null ? null : expiryOf(shown.card.expires_at, now.value);
  return (
    <div class="call">
      <Title title={headline(shown.card)} actions={<Neighbours turn={turn} digest={shown.digest} />}>
        <span class="call-title">{isQuestion(shown.card) ? 'Question' : <Words of={shown.card.tool} />}</span>
      </Title>
      <p class="row-facts call-facts">
        <Badge tone={shown.card.kind === 'in_doubt' ? 'bad' : 'warn'}>{KINDS[shown.card.kind] ?? shown.card.kind}</Badge>
        {left && <span class={left.soon ? 'soon' : ''}>{left.over ? 'expired' : `${left.text} left`}</span>}
        <span>
          agent <Words of={shown.card.agent} />
        </span>
        <span>
          call <Words of={shown.card.call_id} />
          {shown.card.revision > 1 ? `, revision ${shown.card.revision}` : ''}
        </span>
        <span>
          <a href={writeRoute({ page: 'turn', turn })}>the whole turn</a>
        </span>
        <span>
          digest <Digest of={shown.digest} />
        </span>
      </p>
      <ErrorNotice error={error} retry={reload} />
      {present === null && <Gone view={data} seen={shown} />}
      {present !== null && changed.length > 0 && (
        <Notice tone="warn" title="This card changed while you had it open">
          <p>Changed: {changed.join(', ')}. Below is what you saw before.</p>
          <button type="button" class="primary" onClick={() => setSeen(present)}>
            Show it as it is now
          </button>
        </Notice>
      )}
      <div class="columns">
        <Card question={shown} view={data} isOver={present === null} />
        <aside aria-label={isQuestion(shown.card) ? 'Your answer' : 'Your decision'}>
          {mayDecide.value || isQuestion(shown.card) ? (
            <DecidePanel
              key={`${shown.digest} ${shown.card.kind}`}
              turn={turn}
              requester={data.requester}
              question={shown}
              blocked={
                present === null ? 'It does not wait any more.' : changed.length > 0 ? 'Look at the changed card first.' : null
              }
              onDone={() => {
                setDecided(shown.card.kind);
                reload();
              }}
            />
          ) : (
            <Notice>
              <p>You may read this call. Deciding takes the role approver.</p>
            </Notice>
          )}
        </aside>
      </div>
    </div>
  );
}

/** The calls before and after it in the inbox. */
function Neighbours({ turn, digest }: { turn: string; digest: string }) {
  const list = inboxItems.value;
  const index = list.findIndex((item) => item.turn_id === turn && item.card.digest === digest);
  const link = (at: number, text: string) => {
    const item = list[at];
    return item ? (
      <a class="button small" href={writeRoute({ page: 'call', turn: item.turn_id, digest: item.card.digest })}>
        {text}
      </a>
    ) : null;
  };
  if (index < 0) return <a href="#/">Inbox</a>;
  return (
    <>
      <span class="soft">
        {index + 1} of {list.length}
      </span>
      {link(index - 1, 'Previous')}
      {link(index + 1, 'Next')}
    </>
  );
}

/** It waited when the page was opened, and does not any more. */
function Gone({ view, seen }: { view: ShownTurn; seen: Question }) {
  const next = nextRevision(view, seen);
  const entry = seen.of === undefined ? view.calls.find((one) => one.digest === seen.digest) : undefined;
  const by = entry?.approval.by ?? [];
  const turn = seen.of?.turn_id ?? view.turn_id;
  return (
    <Notice
      tone={next ? 'warn' : 'plain'}
      title={next ? 'This call has changed: a new revision waits' : 'This call does not wait any more'}
    >
      {next ? (
        <p>
          What you see below is the old revision.{' '}
          <a href={writeRoute({ page: 'call', turn: view.turn_id, digest: next.digest })}>Look at revision {next.revision}</a>
        </p>
      ) : (
        <p>
          {entry && (
            <>
              It is now: <State of={entry.state} />
              {by.length > 0 && (
                <>
                  {' '}
                  by <Words of={by.join(', ')} />
                </>
              )}
              .{' '}
            </>
          )}
          <a href={writeRoute({ page: 'turn', turn })}>Its turn</a> shows what became of it. <a href="#/">Back to the inbox</a>
        </p>
      )}
    </Notice>
  );
}

/** The same call, changed since; calls of different turns can have the same number. */
function nextRevision({ waiting }: ShownTurn, seen: Question): Question | undefined {
  return waiting.find((one) => one.id === seen.id && one.of?.turn_id === seen.of?.turn_id && one.revision > seen.revision);
}

function NotWaiting({ view, digest }: { view: ShownTurn; digest: string }) {
  const entry = view.calls.find((one) => one.digest?.startsWith(digest));
  const waits = view.pending.some((one) => one.startsWith(digest));
  return (
    <>
      <Title title="Call">{entry ? <Words of={entry.tool} /> : 'Call'}</Title>
      <Notice title={waits ? 'Its card cannot be read now' : 'This call does not wait for a person'}>
        <p>
          {waits
            ? 'Nobody is asked about a call whose card cannot be read. The page tries again.'
            : 'It was decided, replaced by a new revision, or its turn has ended. '}
          {entry && !waits && (
            <>
              It is <State of={entry.state} />.
            </>
          )}
        </p>
        <p>
          <a href={writeRoute({ page: 'turn', turn: view.turn_id })}>The turn</a> shows what became of it.
        </p>
      </Notice>
    </>
  );
}
