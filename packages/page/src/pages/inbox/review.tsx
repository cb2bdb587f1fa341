/**
 * Several calls decided at once: each is shown as its own page shows it before anything is sent, and each decision names exactly what
 * was shown. The answers come one by one, and the person can stop between them.
 */
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Question, ShownTurn } from '../../../../../src/shapes/turn-view';
import { asApiError, type ApiError } from '../../api/http';
import { readTurn } from '../../api/turns';
import type { WaitingItem } from '../../api/waiting';
import { plural } from '../../lib/format';
import { Badge, KINDS } from '../../parts/badge';
import { Dialog } from '../../parts/dialog';
import { ErrorNotice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { sendDecision, signsByPasskey } from '../../state/decide';
import { refreshPasskeys } from '../../state/passkeys';
import { Card } from '../call/card';

type Shown =
  | { is: 'reading' }
  | { is: 'gone' }
  | { is: 'failed'; error: ApiError }
  | { is: 'shown'; question: Question; view: ShownTurn }
  | { is: 'sent'; answer: string };

type Phase = 'reading' | 'sending' | 'stopping' | 'over';

interface Props {
  decision: 'approve' | 'deny';
  items: WaitingItem[];
  onClose: () => void;
}

export function Review({ decision, items, onClose }: Props) {
  const [states, setStates] = useState<ReadonlyMap<string, Shown>>(new Map(items.map(({ key }) => [key, { is: 'reading' }])));
  const [note, setNote] = useState('');
  const [phase, setPhase] = useState<Phase>('reading');
  const ending = useRef(new AbortController());
  const put = (key: string, shown: Shown) => setStates((before) => new Map(before).set(key, shown));

  useEffect(() => void refreshPasskeys(), []);
  useEffect(() => {
    const { signal } = ending.current;
    const read = async ({ key, turn_id, card }: WaitingItem) => {
      try {
        const view = await readTurn(turn_id, signal);
        const question = view.waiting.find(({ digest }) => digest === card.digest);
        put(key, question ? { is: 'shown', question, view } : { is: 'gone' });
      } catch (error) {
        if (!signal.aborted) put(key, { is: 'failed', error: asApiError(error) });
      }
    };
    void (async () => {
      for (const item of items) if (!signal.aborted) await read(item);
    })();
    return () => ending.current.abort();
  }, []);

  const ready = items.filter(({ key }) => states.get(key)?.is === 'shown');
  const isReading = items.some(({ key }) => states.get(key)?.is === 'reading');
  const send = async (event: Event) => {
    event.preventDefault();
    setPhase('sending');
    for (const { key, turn_id } of ready) {
      const shown = states.get(key);
      if (shown?.is !== 'shown' || ending.current.signal.aborted) continue;
      const { question } = shown;
      try {
        const answer = await sendDecision(turn_id, question, { decision, ...(note.trim() === '' ? {} : { note }) });
        put(key, { is: 'sent', answer });
      } catch (error) {
        put(key, { is: 'failed', error: asApiError(error) });
      }
    }
    setPhase('over');
  };
  // What has been sent cannot be taken back, so the dialogue stays until it can say what became of it.
  const close = () => {
    if (phase === 'reading' || phase === 'over') return onClose();
    ending.current.abort();
    return setPhase('stopping');
  };
  const verb = decision === 'approve' ? 'Approve' : 'Deny';
  const signs = ready.some(({ key }) => {
    const shown = states.get(key);
    return shown?.is === 'shown' && signsByPasskey(shown.question);
  });
  return (
    <Dialog title={`${verb} ${plural(items.length, 'call')}?`} onClose={close} wide>
      <form onSubmit={send}>
        <ul class="review">
          {items.map((item) => (
            <li key={item.key}>
              <One shown={states.get(item.key)!} item={item} isOver={phase === 'over'} />
            </li>
          ))}
        </ul>
        {phase !== 'over' && (
          <>
            <label for="review-note">
              {decision === 'deny' ? 'Why not? The model reads this.' : 'Note (kept in the record)'}
            </label>
            <textarea
              id="review-note"
              rows={2}
              maxLength={4000}
              value={note}
              onInput={({ currentTarget: { value } }) => setNote(value)}
            />
          </>
        )}
        <div class="actions end">
          <button type="button" disabled={phase === 'stopping'} onClick={close}>
            {CLOSE[phase]}
          </button>
          {phase !== 'over' && (
            <button
              type="submit"
              class={decision === 'approve' ? 'good' : 'bad'}
              disabled={phase !== 'reading' || isReading || ready.length === 0}
            >
              {phase === 'reading' ? `${verb} ${plural(ready.length, 'call')}${signs ? ' with passkey' : ''}` : SENDS[phase]}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

const CLOSE: Record<Phase, string> = { reading: 'Cancel', sending: 'Stop', stopping: 'Stop', over: 'Close' };
const SENDS = { sending: 'Sending …', stopping: 'Stopping …' };

function One({ shown, item, isOver }: { shown: Shown; item: WaitingItem; isOver: boolean }) {
  switch (shown.is) {
    case 'reading':
      return <Reading what="Reading the card" />;
    case 'gone':
      return (
        <p>
          <Words of={item.headline} />: it does not wait any more in this form. Nothing is sent for it.
        </p>
      );
    case 'failed':
      return (
        <>
          <p>
            <Words of={item.headline} />
          </p>
          <ErrorNotice error={shown.error} />
        </>
      );
    case 'shown':
      return isOver ? (
        <p>
          <Words of={item.headline} />: nothing was sent for it.
        </p>
      ) : (
        <Whole {...shown} />
      );
    case 'sent':
      return (
        <p class="sent" role="status">
          <Words of={item.headline} />: <strong>{shown.answer}</strong>
        </p>
      );
  }
}

function Whole({ question, view }: { question: Question; view: ShownTurn }) {
  const { card } = question;
  return (
    <>
      <p class="row-facts">
        <Badge tone="warn">{KINDS[card.kind] ?? card.kind}</Badge>
        <span>
          <Words of={card.tool} />
        </span>
        <span>
          <Words of={card.agent} />
        </span>
      </p>
      <Card question={question} view={view} isOver={false} />
    </>
  );
}
