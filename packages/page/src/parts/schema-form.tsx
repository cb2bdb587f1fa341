/** A form from a JSON Schema. What stands in it is a draft; `valueOf` makes the value. */
import { useId } from 'preact/hooks';
import { setOwn } from '../../../../src/shared/json/json';
import { limitsInWords } from '../lib/field-limits';
import { draftOf, emptyDraft, valueOf, type Draft, type FormFault } from '../lib/form-value';
import type { Field } from '../lib/schema-fields';
import { Control, Unseen } from './schema-control';
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
      <Faults of={faults} path={path} />
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
  const about = field.description !== null || limitsOf(field) !== null;
  const described = [about ? `${id}-about` : '', own.length > 0 ? `${id}-fault` : ''].filter(Boolean).join(' ');
  return (
    <div class="field">
      <div class="field-head">
        <label for={id}>
          <Words of={field.title || 'Value'} />
        </label>
        <Presence {...props} />
      </div>
      <Control {...props} id={id} describedBy={described === '' ? undefined : described} isWrong={own.length > 0} />
      <Unseen draft={props.draft} />
      <Description field={field} id={`${id}-about`} />
      {own.length > 0 && (
        <p class="fault" id={`${id}-fault`}>
          {own.map(({ message }) => message).join(' ')}
        </p>
      )}
    </div>
  );
}

/** Of a list itself; its entries show their own. */
function Faults({ of, path }: { of: readonly FormFault[]; path: string }) {
  const own = of.filter((fault) => fault.path === path);
  return own.length === 0 ? null : <p class="fault">{own.map(({ message }) => message).join(' ')}</p>;
}

function Description({ field, id }: { field: Field; id?: string }) {
  const limits = limitsOf(field);
  if (field.description === null && limits === null) return null;
  return (
    <p class="hint" {...(id ? { id } : {})}>
      {field.description !== null && <Words of={field.description} />} {limits}
    </p>
  );
}

function limitsOf(field: Field): string | null {
  return 'limits' in field ? limitsInWords(field.limits, field.is === 'list' ? 'entry' : 'character') : null;
}

/** To leave an optional field out, to write null, and to edit a part as raw JSON. */
function Presence({ field, draft, onChange, path = '' }: Props) {
  const buttons: [string, Draft][] = [];
  if (draft.is === 'absent' || draft.is === 'null') buttons.push(['fill in', emptyDraft({ ...field, required: true })]);
  else if (!field.required) buttons.push(['leave out', { is: 'absent' }]);
  if (field.nullable && draft.is !== 'null') buttons.push(['set to nothing', { is: 'null' }]);
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
