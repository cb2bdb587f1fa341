/**
 * Shows text that a model, a tool or a person wrote: always as text, never as markup. Characters that nobody sees, or that turn
 * the direction of the text, are shown by their numbers; the rest cannot leave its place.
 */
import type { ComponentChildren } from 'preact';
import { isJsonObject, type Json } from '../../../../src/shared/json/json';
import { visible } from '../../../../src/shared/text/visible';

const SHOWN_CHARACTER = /(⟨U\+[0-9A-F]{4,6}⟩)/;

function marked(text: string): ComponentChildren {
  const parts = visible(text).split(SHOWN_CHARACTER);
  if (parts.length === 1) return parts[0];
  return parts.map((part, index) => (index % 2 === 1 ? <mark class="unseen">{part}</mark> : part));
}

/** Within a line. */
export function Words({ of }: { of: string | null | undefined }) {
  return <bdi class="words">{marked((of ?? '').replaceAll('\n', ' '))}</bdi>;
}

/** A text of several lines, as it was written. */
export function Lines({ of, label }: { of: string; label?: string }) {
  return (
    <div class="lines" dir="auto" {...(label ? { role: 'group', 'aria-label': label } : {})}>
      {marked(of)}
    </div>
  );
}

export function Code({ of }: { of: string }) {
  return <code class="words">{marked(of)}</code>;
}

/** A digest: its beginning, and the whole where there is room. */
export function Digest({ of }: { of: string }) {
  return (
    <code class="digest" title={of}>
      {of.slice(0, 12)}
    </code>
  );
}

/** JSON as names and values, so that nobody has to read braces. */
export function Value({ of, level = 0 }: { of: Json | undefined; level?: number }) {
  if (of === undefined) return <span class="soft">nothing</span>;
  if (typeof of === 'string') return of === '' ? <span class="soft">empty text</span> : <Lines of={of} />;
  if (of === null || typeof of !== 'object') return <span class="scalar">{String(of)}</span>;
  if (level >= 6) return <Lines of={JSON.stringify(of, null, 2)} />;
  if (Array.isArray(of)) {
    if (of.length === 0) return <span class="soft">empty list</span>;
    return (
      <ol class="values">
        {of.map((item) => (
          <li>
            <Value of={item} level={level + 1} />
          </li>
        ))}
      </ol>
    );
  }
  return isJsonObject(of) && Object.keys(of).length > 0 ? (
    <dl class="facts">
      {Object.keys(of).map((name) => (
        <div>
          <dt>
            <Words of={name} />
          </dt>
          <dd>
            <Value of={of[name]} level={level + 1} />
          </dd>
        </div>
      ))}
    </dl>
  ) : (
    <span class="soft">no fields</span>
  );
}
