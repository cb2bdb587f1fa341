/** A form from a JSON Schema. What stands in it is a draft; `valueOf` makes the value. */
import { useId } from 'preact/hooks';
import { setOwn } from '../../../../src/shared/json/json';
import { visible } from '../../../../src/shared/text/visible';
import { draftOf, emptyDraft, valueOf, type Draft, type FormFault } from '../lib/form-value';
import type { Field } from '../lib/schema-fields';
import { Words } from './text';

interface Props {
  field: Field;
  draft: Draft;
  faults: readonly FormFault[];
  onChange: (draft: Draft) => void;
  path?: string;
}

export function SchemaForm(props: Props) {
  const { field, draft, path = '' } = props;
  if (field.is === 'group' && draft.is === 'group') {
    const inner = <Group {...props} field={field} draft={draft} />;
    if (path === '') return inner;
    return (
      <fieldset>
        <legend>
          <Words of={field.title} />
          <Presence {...props} />
        </legend>
        {inner}
      </fieldset>
    );
  }
  if (field.is === 'list' && draft.is === 'list') return <Items {...props} field={field} draft={draft} />;
  return <Single {...props} />;
}

function Group({
  field,
  draft,
  faults,
  onChange,
  path = '',
}: Props & { field: Extract<Field, { is: 'group' }>; draft: Extract<Draft, { is: 'group' }> }) {
  return (
    <div class="group">
      {field.fields.map((one) => (
        <SchemaForm
          key={one.name}
          field={one}
          draft={Object.hasOwn(draft.drafts, one.name) ? draft.drafts[one.name]! : emptyDraft(one)}
          faults={faults}
          path={path === '' ? one.name : `${path}.${one.name}`}
          onChange={(next) => {
            const drafts = { ...draft.drafts };
            setOwn(drafts, one.name, next);
            onChange({ ...draft, drafts });
          }}
        />
      ))}
    </div>
  );
}

function Items({
  field,
  draft,
  faults,
  onChange,
  path = '',
}: Props & { field: Extract<Field, { is: 'list' }>; draft: Extract<Draft, { is: 'list' }> }) {
  const { items } = draft;
  const replace = (index: number, ...by: Draft[]) => onChange({ ...draft, items: items.toSpliced(index, 1, ...by) });
  return (
    <fieldset>
      <legend>
        <Words of={field.title || 'List'} />
        <Presence field={field} draft={draft} faults={faults} onChange={onChange} />
      </legend>
      <Description field={field} />
      {items.map((item, index) => (
        <div class="item" key={index}>
          <SchemaForm
            field={{ ...field.item, title: field.item.title || `Entry ${index + 1}` }}
            draft={item}
            faults={faults}
            path={`${path}[${index}]`}
            onChange={(next) => replace(index, next)}
          />
          <button type="button" class="quiet small" onClick={() => replace(index)}>
            Remove entry {index + 1}
          </button>
        </div>
      ))}
      <button type="button" class="small" onClick={() => onChange({ ...draft, items: [...items, emptyDraft(field.item)] })}>
        Add an entry
      </button>
    </fieldset>
  );
}

function Single(props: Props) {
  const { field, faults, path = '' } = props;
  const id = useId();
  const own = faults.filter((fault) => fault.path === path);
  const described = [field.description !== null ? `${id}-about` : '', own.length > 0 ? `${id}-fault` : '']
    .filter(Boolean)
    .join(' ');
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          <Words of={field.title || 'Value'} />
        </label>
        <Presence {...props} />
      </div>
      <Control {...props} id={id} describedBy={described === '' ? undefined : described} isWrong={own.length > 0} />
      <Description field={field} id={`${id}-about`} />
      {own.length > 0 && (
        <p class="fault" id={`${id}-fault`}>
          {own.map(({ message }) => message).join(' ')}
        </p>
      )}
    </div>
  );
}

function Control({ id, describedBy, isWrong, field, draft, onChange }: Props & ControlProps) {
  const common = { id, 'aria-describedby': describedBy, 'aria-invalid': isWrong ? ('true' as const) : undefined };
  switch (draft.is) {
    case 'absent':
    case 'null':
      return <output {...common}>{draft.is === 'null' ? 'null' : 'left out'}</output>;
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
      const isLong = draft.is === 'json' || (field.is === 'text' && field.long);
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

interface ControlProps {
  id: string;
  describedBy: string | undefined;
  isWrong: boolean;
}

function Description({ field, id }: { field: Field; id?: string }) {
  if (field.description === null) return null;
  return (
    <p class="hint" {...(id ? { id } : {})}>
      <Words of={field.description} />
    </p>
  );
}

/** To leave an optional field out, to write null, and to edit a part as raw JSON. */
function Presence({ field, draft, onChange, path = '' }: Props) {
  const buttons: [string, Draft][] = [];
  if (draft.is === 'absent' || draft.is === 'null') buttons.push(['fill in', emptyDraft({ ...field, required: true })]);
  else if (!field.required) buttons.push(['leave out', { is: 'absent' }]);
  if (field.nullable && draft.is !== 'null') buttons.push(['null', { is: 'null' }]);
  const back = draft.is === 'json' && field.is !== 'json' ? readBack(field, draft) : null;
  if (back !== null) buttons.push(['as a form', back]);
  return (
    <span class="presence">
      {buttons.map(([text, next]) => (
        <button type="button" class="quiet small" aria-label={`${field.title || path}: ${text}`} onClick={() => onChange(next)}>
          {text}
        </button>
      ))}
    </span>
  );
}

function readBack(field: Field, draft: Draft): Draft | null {
  const read = valueOf({ ...field, is: 'json' }, draft);
  const back = read.ok ? draftOf(field, read.value) : null;
  return back === null || back.is === 'json' ? null : back;
}
