/** The control of one value in a form: what it shows is what is sent. */
import { visible } from '../../../../src/shared/text/visible';
import { isDate, type Draft } from '../lib/form-value';
import type { Field } from '../lib/schema-fields';
import { Lines } from './text';

interface Props {
  field: Field;
  draft: Draft;
  onChange: (draft: Draft) => void;
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}

export function Control({ id, describedBy, isWrong, field, draft, onChange }: Props) {
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': isWrong ? ('true' as const) : undefined };
  switch (draft.is) {
    case 'absent':
    case 'null':
      return <output {...common}>{draft.is === 'null' ? 'nothing (null)' : 'left out'}</output>;
    case 'flag':
      return (
        <input
          {...common}
          type="checkbox"
          checked={draft.on}
          onChange={({ currentTarget: { checked } }) => onChange({ is: 'flag', on: checked })}
        />
      );
    case 'choice':
      return (
        <select
          {...common}
          value={String(draft.index)}
          onChange={({ currentTarget: { value } }) => onChange({ is: 'choice', index: Number(value) })}
        >
          <option value="-1">Choose …</option>
          {field.is === 'choice' &&
            field.options.map((option, index) => <option value={String(index)}>{visible(String(option))}</option>)}
        </select>
      );
    default: {
      const text = draft.is === 'text' || draft.is === 'json' ? draft.text : '';
      const put = (value: string) => onChange({ is: draft.is === 'json' ? 'json' : 'text', text: value });
      // A field of one line would show a text of several without its line breaks.
      const isLong = draft.is === 'json' || (field.is === 'text' && field.long) || text.includes('\n');
      if (isDayPicked(field, text))
        return <input {...common} type="date" value={text} onInput={({ currentTarget: { value } }) => put(value)} />;
      return isLong ? (
        <textarea
          {...common}
          class={draft.is === 'json' ? 'code' : ''}
          rows={Math.min(16, Math.max(draft.is === 'json' ? 4 : 1, text.split('\n').length))}
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => put(value)}
        />
      ) : (
        <input
          {...common}
          type="text"
          inputMode={field.is === 'number' ? 'decimal' : 'text'}
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget: { value } }) => put(value)}
        />
      );
    }
  }
}

/** The browser's calendar shows only days that there are: anything else stays a text, so that what is sent is what is shown. */
function isDayPicked(field: Field, text: string): boolean {
  return field.is === 'text' && field.format === 'date' && (text === '' || isDate(text));
}

/** A field shows a text as the browser does: characters that nobody sees, or that turn the direction, are named below it. */
export function Unseen({ draft }: { draft: Draft }) {
  if ((draft.is !== 'text' && draft.is !== 'json') || visible(draft.text) === draft.text) return null;
  return (
    <div class="fault">
      This text has characters that a field does not show: <Lines of={draft.text} />
    </div>
  );
}
