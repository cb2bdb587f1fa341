/** The decision on one call: approve, deny, change the input, say what became of a call in doubt, or answer a question. */
import { useEffect, useState } from 'preact/hooks';
import type { Question } from '../../../../../src/shapes/turn-view';
import type { Decision } from '../../api/turns';
import { when } from '../../lib/format';
import { isQuestion } from '../../lib/kind';
import { obstacleFor, steadsFor } from '../../lib/your-part';
import { ErrorNotice, Notice } from '../../parts/notice';
import { useAction } from '../../parts/use-load';
import { now } from '../../state/clock';
import { me } from '../../state/me';
import { ownSteads, refreshDeputies } from '../../state/deputies';
import { refreshPasskeys } from '../../state/passkeys';
import { sendDecision, signsByPasskey } from '../../state/decide';
import { AnswerForm } from './answer';
import { EditForm } from './edit';
import { InStead } from './in-stead';
import { Done, type PanelProps } from './panel';
import { SettleForm } from './settle';

export function DecidePanel(props: PanelProps) {
  const { question } = props;
  useEffect(() => void refreshPasskeys(), []);
  useEffect(() => void refreshDeputies(), []);
  if (isQuestion(question.card)) return <AnswerForm {...props} />;
  return question.card.kind === 'in_doubt' ? <SettleForm {...props} /> : <ApproveForm {...props} />;
}

type Mode = 'choose' | 'approve' | 'deny' | 'edit';

function ApproveForm(props: PanelProps) {
  const { turn, question, blocked, onDone } = props;
  const [mode, setMode] = useState<Mode>('choose');
  const [note, setNote] = useState('');
  const [answer, setAnswer] = useState<string | null>(null);
  const [stead, setStead] = useState<string | null>(null);
  const action = useAction();
  const steads = me.value === null ? [] : steadsFor(me.value, ownSteads(), question, now.value);
  // A person who may not approve in their own name decides for the one whose deputy they are.
  const isBarred = me.value !== null && obstacleFor(me.value, question, now.value) !== null;
  const person = stead ?? (isBarred ? (steads[0] ?? '') : '');
  const send = (what: Omit<Decision, 'call'>) =>
    action.run(async () => {
      setAnswer(await sendDecision(turn, question, { ...what, ...(note.trim() === '' ? {} : { note }) }));
      onDone();
    });
  if (answer !== null) return <Done answer={answer} />;
  const byKey = signsByPasskey(question) ? ' with passkey' : '';
  const disabled = blocked !== null || action.busy;
  return (
    <div class="panel">
      <h2>Your decision</h2>
      {blocked && <p class="blocked">{blocked}</p>}
      {steads.length === 0 ? (
        <YourPart question={question} />
      ) : (
        <Notice>You may decide for {steads.join(', ')}, as deputy.</Notice>
      )}
      {mode === 'choose' && (
        <div class="choices">
          <button type="button" class="good" disabled={disabled} onClick={() => setMode('approve')}>
            Approve …
          </button>
          <button type="button" class="bad" disabled={disabled} onClick={() => setMode('deny')}>
            Deny …
          </button>
          <button type="button" disabled={disabled || question.card.input === undefined} onClick={() => setMode('edit')}>
            Change the input …
          </button>
        </div>
      )}
      {(mode === 'approve' || mode === 'deny') && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send({ decision: mode, ...(mode === 'approve' && person !== '' ? { on_behalf_of: person } : {}) });
          }}
        >
          {mode === 'approve' && <InStead steads={steads} mayAlone={!isBarred} chosen={person} onChoice={setStead} />}
          <label for="note">{mode === 'deny' ? 'Why not? The model reads this.' : 'Note (kept in the record)'}</label>
          <textarea id="note" rows={3} maxLength={4000} value={note} onInput={({ currentTarget: { value } }) => setNote(value)} />
          {mode === 'deny' && note.trim() !== '' && (
            <p class="hint">Under four eyes, your note makes you a maker of what the model proposes next.</p>
          )}
          <div class="choices">
            <button type="submit" class={mode === 'approve' ? 'good' : 'bad'} disabled={disabled}>
              {action.busy ? 'Sending …' : mode === 'approve' ? `Approve exactly this${byKey}` : `Deny${byKey}`}
            </button>
            <button type="button" onClick={() => setMode('choose')}>
              Back
            </button>
          </div>
        </form>
      )}
      {mode === 'edit' && (
        <EditForm
          question={question}
          busy={action.busy}
          disabled={disabled}
          onCancel={() => setMode('choose')}
          onSend={(input) => void send({ decision: 'approve', input })}
        />
      )}
      <ErrorNotice error={action.error} />
    </div>
  );
}

function YourPart({ question }: { question: Question }) {
  const person = me.value;
  const obstacle = person === null ? null : obstacleFor(person, question, now.value);
  switch (obstacle?.is) {
    case 'decided':
      return <Notice>You have approved this call already; another person must too.</Notice>;
    case 'maker':
      return (
        <Notice tone="warn">
          You asked for this call or had a hand in it. Under four eyes somebody else must approve it; you may deny it.
        </Notice>
      );
    case 'roles':
      return (
        <Notice tone="warn">
          Approving takes one of the roles {obstacle.roles.join(', ')}; you may deny it.
          {obstacle.from !== null && ` From ${when(obstacle.from)} on you may approve it too.`}
        </Notice>
      );
    case undefined:
      return null;
  }
}
