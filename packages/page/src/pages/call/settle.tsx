/** A call in doubt: nobody knows whether it took effect. A person who has looked says so; nothing is run by it. */
import { useState } from 'preact/hooks';
import { ErrorNotice, Notice } from '../../parts/notice';
import { useAction } from '../../parts/use-load';
import { sendDecision, signsByPasskey } from '../../state/decide';
import { Done, type PanelProps } from './panel';
import { Evidence } from './sections';

type Outcome = 'applied' | 'not_applied';

export function SettleForm({ turn, question, blocked, onDone }: PanelProps) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [note, setNote] = useState('');
  const [answer, setAnswer] = useState<string | null>(null);
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    if (outcome === null) return;
    void action.run(async () => {
      const more = note.trim() === '' ? {} : { note };
      setAnswer(await sendDecision(turn, question, { decision: 'settle', outcome, ...more }));
      onDone();
    });
  };
  if (answer !== null) return <Done answer={answer} />;
  const choice = (value: Outcome, title: string, hint: string) => (
    <label class="radio">
      <input type="radio" name="outcome" value={value} checked={outcome === value} onChange={() => setOutcome(value)} />
      <span>
        <strong>{title}</strong>
        <span class="hint">{hint}</span>
      </span>
    </label>
  );
  return (
    <form class="panel" onSubmit={submit}>
      <h2>What became of it?</h2>
      {blocked && <p class="blocked">{blocked}</p>}
      <Notice tone="warn">Look where the effect would be (the bank, the mail server, the ledger), not only here.</Notice>
      {question.card.evidence !== undefined && <Evidence card={question.card} />}
      <fieldset class="radios">
        <legend class="unseen-label">What became of the call</legend>
        {choice('applied', 'It took effect', 'The turn goes on as after a success. It is not run again.')}
        {choice('not_applied', 'It did not take effect', 'The model is told so, and may ask for the call again.')}
      </fieldset>
      <label for="settle-note">How do you know? The model reads this.</label>
      <textarea
        id="settle-note"
        rows={3}
        maxLength={4000}
        value={note}
        onInput={({ currentTarget: { value } }) => setNote(value)}
      />
      <button type="submit" class="primary" disabled={outcome === null || blocked !== null || action.busy}>
        {action.busy ? 'Sending …' : `Settle${signsByPasskey(question) ? ' with passkey' : ''}`}
      </button>
      <ErrorNotice error={action.error} />
    </form>
  );
}
