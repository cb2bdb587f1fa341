/** The sections of a card, in the order in which a person should read them. */
import type { Card } from '../../../../../src/shapes/card';
import type { DecisionView } from '../../../../../src/shapes/turn-view';
import { expiryOf, when } from '../../lib/format';
import { isInDoubt } from '../../lib/kind';
import { Notice } from '../../parts/notice';
import { Code, Lines, Value, Words } from '../../parts/text';
import { now } from '../../state/clock';

/** What will happen: the preview of the tool, else plainly that it has none. */
export function Deed({ card }: { card: Card }) {
  const { will_happen: preview } = card;
  return (
    <section class={`deed ${card.kind}`}>
      <h2>{isInDoubt(card) ? 'What may have happened' : 'What will happen'}</h2>
      {preview === null || preview === undefined ? (
        <p>
          <Code of={card.tool} /> runs with the input below. The tool has no preview of what it does.
        </p>
      ) : (
        <Value of={preview} />
      )}
    </section>
  );
}

const FROM: Record<string, string> = {
  requester: 'asked',
  steering: 'added while the turn ran',
  agent: 'gave this task to a sub-agent',
};

export function InWhoseWords({ card }: { card: Card }) {
  const { words = [], requester, makers = [] } = card;
  return (
    <section>
      <h2>In whose words</h2>
      {words.length === 0 && (
        <p class="soft">
          {requester === undefined ? (
            'The words cannot be read.'
          ) : (
            <>
              No message: <Words of={requester} /> called the tool directly.
            </>
          )}
        </p>
      )}
      {words.map(({ from, by, text, cut }) => (
        <figure class="said">
          <figcaption>
            <strong>
              <Words of={by} />
            </strong>{' '}
            {FROM[from] ?? ''}
          </figcaption>
          <blockquote>
            <Lines of={text} />
            {cut && <p class="soft">Only the beginning is shown here; the transcript of the turn has the rest.</p>}
          </blockquote>
        </figure>
      ))}
      {makers.length > 0 && (
        <p>
          Also had a hand in it: <Words of={makers.join(', ')} />
        </p>
      )}
    </section>
  );
}

/** Always said, whether a rule looks at it or not. */
export function Outside({ card: { untrusted } }: { card: Card }) {
  if (untrusted === undefined) return null;
  return untrusted ? (
    <Notice tone="warn" title="Text of outsiders was read before">
      <p>
        The conversation had read text from outside before this call was proposed. Such a text can have made the agent ask for it.
      </p>
    </Notice>
  ) : (
    <p class="fact-line">No text of outsiders was read before this call was proposed.</p>
  );
}

export function WhyAsked({ card }: { card: Card }) {
  const { reason, held = [], changes = [], error } = card;
  return (
    <section>
      <h2>Why a person is asked</h2>
      {reason && <Lines of={reason} />}
      {held.length > 0 && (
        <ul>
          {held.map(({ text }) => (
            <li>
              <Lines of={text} />
            </li>
          ))}
        </ul>
      )}
      {changes.map(({ by, why }) => (
        <p>
          Changed by <Words of={by} />: <Words of={why} />
        </p>
      ))}
      {error && (
        <Notice tone="bad" title="What went wrong">
          <Lines of={error.message} />
          {error.hint && <Lines of={error.hint} />}
        </Notice>
      )}
    </section>
  );
}

export function Policy({ card }: { card: Card }) {
  const { policy, expires_at } = card;
  if (policy === undefined) return null;
  const left = expiryOf(expires_at, now.value);
  const rows: [string, string][] = [
    ['Approvals needed', String(policy.quorum)],
    ['By', policy.roles.length === 0 ? 'anybody who may decide' : `one of: ${policy.roles.join(', ')}`],
    ['Four eyes', policy.four_eyes ? 'who asked, changed or steered may not approve' : 'not required'],
    [
      'What counts',
      policy.channel === 'attested' ? 'signed decisions only' : 'any decision; names are what people typed (advisory)',
    ],
    [
      'Expires',
      expires_at === null || left === null ? 'never' : `${when(expires_at)} (${left.over ? 'expired' : `in ${left.text}`})`,
    ],
  ];
  return (
    <section>
      <h2>What it needs</h2>
      <dl class="facts">
        {rows.map(([name, value]) => (
          <div>
            <dt>{name}</dt>
            <dd>
              <Words of={value} />
            </dd>
          </div>
        ))}
      </dl>
      <PolicyEntry policy={policy} />
    </section>
  );
}

/** Which of the agent's rules by input applies, and who may decide later. */
interface ByInput {
  entry?: { index: number | null; when: string | null; result: 'matched' | 'failed' | 'none' };
  escalations?: { at: string; roles: string[] }[];
}

function PolicyEntry({ policy }: { policy: object }) {
  const { entry, escalations = [] }: ByInput = policy;
  return (
    <>
      {entry && (
        <p>
          {entry.result === 'none' && 'No rule for this tool fits the input; the common rule of the agent applies.'}
          {entry.result === 'matched' &&
            `Rule ${entry.index} for this tool applies${entry.when === null ? '.' : ', because it fits: '}`}
          {entry.result === 'failed' &&
            `The condition of rule ${entry.index} could not be judged, so the strictest rule applies: `}
          {entry.when !== null && <Code of={entry.when} />}
        </p>
      )}
      {escalations.map(({ at, roles }) => (
        <p>
          {Date.parse(at) > now.value ? `From ${when(at)} on` : `Since ${when(at)}`}, people with one of these roles may approve
          too: <Words of={roles.join(', ')} />
        </p>
      ))}
    </>
  );
}

const DECIDED: Record<string, string> = {
  answer: 'answered',
  approve: 'approved',
  deny: 'denied',
  expired: 'nobody decided in time',
};

export function Decisions({ decisions, remarks = [] }: { decisions: DecisionView[]; remarks?: string[] | undefined }) {
  return (
    <section>
      <h2>Decisions so far</h2>
      {decisions.length === 0 && <p class="soft">Nobody has decided yet.</p>}
      <ul class="decisions">
        {decisions.map(({ decision, by, at, note, attested }) => (
          <li>
            <strong>
              <Words of={by} />
            </strong>{' '}
            {DECIDED[decision] ?? decision}, {when(at)}
            {attested ? ', signed' : ''}
            {note && <Lines of={note} />}
          </li>
        ))}
      </ul>
      {remarks.length > 0 && (
        <details>
          <summary>Decisions that did not count</summary>
          <ul>
            {remarks.map((remark) => (
              <li>
                <Lines of={remark} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}
