/** Notices: what went wrong and what to do, what to know before deciding, and that something is being read. */
import type { ComponentChildren } from 'preact';
import type { ApiError } from '../api/http';
import { refusalInWords } from '../lib/refusal-words';
import { Words } from './text';

export type Tone = 'plain' | 'good' | 'warn' | 'bad';

export function Notice({ tone = 'plain', title, children }: { tone?: Tone; title?: string; children?: ComponentChildren }) {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : undefined}>
      {title === undefined ? null : <p class="notice-title">{title}</p>}
      {children}
    </div>
  );
}

export function ErrorNotice({ error, retry }: { error: ApiError | null; retry?: () => void }) {
  if (error === null) return null;
  return (
    <Notice tone="bad">
      <p class="notice-title">
        <Words of={refusalInWords(error.message)} />
      </p>
      {error.details.length > 0 && (
        <ul>
          {error.details.map(({ path, message }) => (
            <li>
              <Words of={path === '' ? message : `${path}: ${message}`} />
            </li>
          ))}
        </ul>
      )}
      {error.hint !== null && (
        <p>
          <Words of={refusalInWords(error.hint)} />
        </p>
      )}
      {retry && (
        <button type="button" class="small" onClick={retry}>
          Try again
        </button>
      )}
    </Notice>
  );
}

export function Reading({ what = 'Reading' }: { what?: string }) {
  return (
    <p class="reading" role="status">
      {what} …
    </p>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}
