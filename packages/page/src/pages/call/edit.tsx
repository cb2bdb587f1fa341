/** Changes the input of a call. That approves nothing: the call with the new input waits, for others to decide on. */
import { useState } from 'preact/hooks';
import { isJsonObject, type JsonObject } from '../../../../../src/shared/json/json';
import type { Question } from '../../../../../src/shapes/turn-view';
import { readToolVersions } from '../../api/turns';
import { changedFields } from '../../lib/diff';
import { draftOf, valueOf, type Draft, type FormFault } from '../../lib/form-value';
import { fieldOf, type Field } from '../../lib/schema-fields';
import { Notice, Reading } from '../../parts/notice';
import { SchemaForm } from '../../parts/schema-form';
import { useLoad } from '../../parts/use-load';
import { Changes } from './input';

interface Props {
  question: Question;
  busy: boolean;
  disabled: boolean;
  onCancel: () => void;
  onSend: (input: JsonObject) => void;
}

const RAW: Field = { is: 'json', name: '', title: 'Input', description: null, required: true, nullable: false };

export function EditForm(props: Props) {
  const { tool, version } = props.question.card;
  const schema = useLoad(`${tool} ${version}`, async () => {
    const known = await readToolVersions(tool).catch(() => null);
    return { parameters: known?.versions.find((one) => one.version === version)?.parameters ?? null };
  });
  if (schema.data === null) return <Reading what="Reading the tool’s fields" />;
  const { parameters } = schema.data;
  return <Editor {...props} field={parameters === null ? RAW : fieldOf(parameters)} hasForm={parameters !== null} />;
}

function Editor({
  question,
  busy,
  disabled,
  onCancel,
  onSend,
  field: form,
  hasForm,
}: Props & { field: Field; hasForm: boolean }) {
  const input = question.card.input!;
  const [isRaw, setRaw] = useState(!hasForm);
  const field = isRaw ? RAW : form;
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, input));
  const [faults, setFaults] = useState<FormFault[]>([]);
  const read = valueOf(field, draft);
  const next = read.ok && isJsonObject(read.value) ? read.value : null;
  const isSame = next !== null && changedFields(input, next).length === 0;
  const change = (after: Draft) => {
    setDraft(after);
    setFaults([]);
  };
  const switchTo = (raw: boolean) => {
    if (!read.ok) return setFaults(read.faults);
    setRaw(raw);
    return change(draftOf(raw ? RAW : form, read.value));
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!read.ok) return setFaults(read.faults);
    if (next === null) return setFaults([{ path: '', message: 'The input must be an object: {…}.' }]);
    return onSend(next);
  };
  return (
    <form class="edit" onSubmit={submit} noValidate>
      <p class="hint">
        A change approves nothing. The call with the new input waits
        {question.card.policy?.four_eyes ? ' for somebody else; you may not approve it.' : ' for an approval of its own.'}
      </p>
      <SchemaForm field={field} draft={draft} faults={faults} onChange={change} />
      {hasForm && (
        <button type="button" class="quiet small" onClick={() => switchTo(!isRaw)}>
          {isRaw ? 'Edit as a form' : 'Edit as JSON'}
        </button>
      )}
      {faults.length > 0 && (
        <Notice tone="bad" title="This cannot be sent yet">
          <ul>
            {faults.map(({ path, message }) => (
              <li>
                {path === '' ? '' : `${path}: `}
                {message}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      {next !== null && !isSame && <Changes before={input} after={next} title="Your changes" />}
      <div class="choices">
        <button type="submit" class="primary" disabled={disabled || isSame}>
          {busy ? 'Sending …' : 'Send the changed input'}
        </button>
        <button type="button" onClick={onCancel}>
          Back
        </button>
      </div>
    </form>
  );
}
