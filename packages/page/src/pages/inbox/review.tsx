/**
 * Several calls decided at once: each is shown as it stands now before anything is sent, and each decision names exactly what was
 * shown. The answers come one by one.
 */
import { useEffect, useState } from 'preact/hooks';
import type { Question } from '../../../../../src/shapes/turn-view';
import { asApiError, type ApiError } from '../../api/http';
import { readTurn } from '../../api/turns';
import type { WaitingItem } from '../../api/waiting';
import { plural } from '../../lib/format';
import { Dialog } from '../../parts/dialog';
import { ErrorNotice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { sendDecision, signsByPasskey } from '../../state/decide';
import { refreshPasskeys } from '../../state/passkeys';
import { CardBrief } from '../call/brief';

type Shown =
  | { is: 'reading' }
  | { is: 'gone' }
  | { is: 'failed'; error: ApiError }
  | { is: 'shown'; question: Question }
  | { is: 'sent'; question: Question; answer: string };

interface Props {
  decision: 'approve' | 'deny';
  items: WaitingItem[];
  onClose: () => void;
}

export function Review({ decision, items, onClose }: Props) {
  const [states, setStates] = useState<ReadonlyMap<string, Shown>>(new Map(items.map(({ key }) => [key, { is: 'reading' }])));
  const [note, setNote] = useState('');
  const [busy, setBusy] = useState(false);
  const [done, setDone] = useState(false);
  const put = (key: string, shown: Shown) => setStates((before) => new Map(before).set(key, shown));

  useEffect(() => void refreshPasskeys(), []);
  useEffect(() => {
    const ending = new AbortController();
    const read = async ({ key, turn_id, card }: WaitingItem) => {
      try {
        const { waiting } = await readTurn(turn_id, ending.signal);
        const question = waiting.find(({ digest }) => digest === card.digest);
        put(key, question ? { is: 'shown', question } : { is: 'gone' });
      } catch (error) {
        if (!ending.signal.aborted) put(key, { is: 'failed', error: asApiError(error) });
      }
    };
    void (async () => {
      for (const item of items) if (!ending.signal.aborted) await read(item);
    })();
    return () => ending.abort();
  }, []);

  const ready = items.filter(({ key }) => states.get(key)?.is === 'shown');
  const isReading = items.some(({ key }) => states.get(key)?.is === 'reading');
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    for (const { key, turn_id } of ready) {
      const shown = states.get(key);
      if (shown?.is !== 'shown') continue;
      const { question } = shown;
      try {
        const answer = await sendDecision(turn_id, question, { decision, ...(note.trim() === '' ? {} : { note }) });
        put(key, { is: 'sent', question, answer });
      } catch (error) {
        put(key, { is: 'failed', error: asApiError(error) });
      }
    }
    setBusy(false);
    setDone(true);
  };
  const verb = decision === 'approve' ? 'Approve' : 'Deny';
  const signs = ready.some(({ key }) => {
    const shown = states.get(key);
    return shown?.is === 'shown' && signsByPasskey(shown.question);
  });
  return (
    <Dialog title={`${verb} ${plural(items.length, 'call')}?`} onClose={onClose} wide>
      <form onSubmit={send}>
        <ul class="review">
          {items.map((item) => (
            <li key={item.key}>
              <One shown={states.get(item.key)!} item={item} />
            </li>
          ))}
        </ul>
        {!done && (
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
          <button type="button" onClick={onClose}>
            {done ? 'Close' : 'Cancel'}
          </button>
          {!done && (
            <button
              type="submit"
              class={decision === 'approve' ? 'good' : 'bad'}
              disabled={busy || isReading || ready.length === 0}
            >
              {busy ? 'Sending …' : `${verb} ${plural(ready.length, 'call')}${signs ? ' with passkey' : ''}`}
            </button>
          )}
        </div>
      </form>
    </Dialog>
  );
}

function One({ shown, item }: { shown: Shown; item: WaitingItem }) {
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
      return <CardBrief question={shown.question} />;
    case 'sent':
      return (
        <p class="sent" role="status">
          <Words of={item.headline} />: <strong>{shown.answer}</strong>
        </p>
      );
  }
}
