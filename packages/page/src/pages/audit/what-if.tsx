/** What other rules or approvers would have decided on the calls of a turn. Nothing is run. */
import { useState } from 'preact/hooks';
import type { WhatIfAnswer } from '../../../../../src/shapes/records';
import { askWhatIf } from '../../api/turns';
import { plural } from '../../lib/format';
import { ErrorNotice } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useAction } from '../../parts/use-load';

export function WhatIf({ turn }: { turn: string }) {
  const [rules, setRules] = useState('');
  const [approvals, setApprovals] = useState('');
  const [answer, setAnswer] = useState<WhatIfAnswer | null>(null);
  const action = useAction();
  const submit = (event: Event) => {
    event.preventDefault();
    const changes = { ...(rules.trim() === '' ? {} : { rules }), ...(approvals.trim() === '' ? {} : { approvals }) };
    void action.run(async () => setAnswer(await askWhatIf(turn, changes)));
  };
  return (
    <section class="check">
      <h2>What if the rules were others?</h2>
      <form onSubmit={submit}>
        <label for="rules">Permission rules (YAML or JSON)</label>
        <textarea
          id="rules"
          class="code"
          rows={4}
          spellcheck={false}
          placeholder="deny: ['pay_invoice when input.cents > 100000']"
          value={rules}
          onInput={({ currentTarget: { value } }) => setRules(value)}
        />
        <label for="approvals">Who must approve (YAML or JSON)</label>
        <textarea
          id="approvals"
          class="code"
          rows={2}
          spellcheck={false}
          placeholder="quorum: 2"
          value={approvals}
          onInput={({ currentTarget: { value } }) => setApprovals(value)}
        />
        <button type="submit" disabled={action.busy || (rules.trim() === '' && approvals.trim() === '')}>
          Ask
        </button>
      </form>
      <ErrorNotice error={action.error} />
      {answer && <Answer answer={answer} />}
    </section>
  );
}

function Answer({ answer: { differences, turns } }: { answer: WhatIfAnswer }) {
  return (
    <div role="status">
      <p>
        <strong>
          {differences === 0 ? 'Nothing would have been decided otherwise.' : `${plural(differences, 'difference')}.`}
        </strong>
      </p>
      <ul>
        {turns
          .flatMap(({ calls }) => calls)
          .filter(({ differs }) => differs)
          .map(({ call_id, tool, was, would }) => (
            <li>
              <Words of={`${call_id} ${tool}: was ${was.outcome}, would be ${would.outcome} (${would.reason})`} />
            </li>
          ))}
      </ul>
    </div>
  );
}
