/** The whole input of a call, and what changed in it since the revision before. */
import type { Card } from '../../../../../src/shapes/card';
import type { JsonObject } from '../../../../../src/shared/json/json';
import { changedFields, changedLines, type FieldChange } from '../../lib/diff';
import { Notice } from '../../parts/notice';
import { Code, Value, Words } from '../../parts/text';

export function Input({ card, before }: { card: Card; before: JsonObject | null }) {
  const { input, acts_on, incomplete } = card;
  return (
    <section>
      {before !== null && input !== undefined && <Changes before={before} after={input} />}
      <h2>Input</h2>
      {input === undefined ? (
        <Notice tone="warn" title="The input cannot be shown as fields">
          <p>
            <Words of={incomplete ?? 'It is on the card below, as the Web UI shows it.'} />
          </p>
          <pre class="markdown">
            <Code of={card.markdown} />
          </pre>
        </Notice>
      ) : (
        <Value of={input} />
      )}
      {acts_on && (
        <>
          <h2>Acts on</h2>
          <Value of={acts_on} />
        </>
      )}
    </section>
  );
}

interface ChangesProps {
  before: JsonObject;
  after: JsonObject;
  title?: string;
}

export function Changes({ before, after, title = 'Changed since the revision before' }: ChangesProps) {
  const changes = changedFields(before, after);
  return (
    <div class="changes">
      <h2>{title}</h2>
      {changes.length === 0 ? (
        <p class="soft">The input is the same.</p>
      ) : (
        <dl>
          {changes.map((change) => (
            <div>
              <dt>
                <Code of={change.path === '' ? 'the whole input' : change.path} />
              </dt>
              <dd>
                <Change of={change} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}

function Change({ of: { before, after } }: { of: FieldChange }) {
  if (typeof before === 'string' && typeof after === 'string' && (before.includes('\n') || after.includes('\n')))
    return (
      <div class="line-changes" tabIndex={0} role="group" aria-label="Lines that changed">
        {changedLines(before, after).map(({ is, text }) => (
          <div class={is}>
            <span class="sign">{is === 'removed' ? '−' : is === 'added' ? '+' : ' '}</span>
            <span class="unseen-label">{is === 'same' ? '' : is}</span>
            <Words of={text} />
          </div>
        ))}
      </div>
    );
  return (
    <>
      <del>
        <Value of={before} />
      </del>
      <ins>
        <Value of={after} />
      </ins>
    </>
  );
}
