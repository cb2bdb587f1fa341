/** Answers a question that the model asked a person: one of its choices, a form from its schema, or a text. */
import { useState } from 'preact/hooks';
import type { Json } from '../../../../../src/shared/json/json';
import { answerQuestion } from '../../api/turns';
import { draftOf, valueOf, type Draft, type FormFault } from '../../lib/form-value';
import { fieldOf, type Field } from '../../lib/schema-fields';
import { ErrorNotice } from '../../parts/notice';
import { SchemaForm } from '../../parts/schema-form';
import { Lines } from '../../parts/text';
import { useAction } from '../../parts/use-load';
import { Done, type PanelProps } from './panel';

export function AnswerForm({ turn, question, blocked, onDone }: PanelProps) {
  const { choices = [], schema } = question.card;
  const [answer, setAnswer] = useState<string | null>(null);
  const action = useAction();
  const send = (value: Json) =>
    void action.run(async () => {
      await answerQuestion(turn, { call: question.digest, value });
      setAnswer('Answered');
      onDone();
    });
  if (answer !== null) return <Done answer={answer} />;
  const disabled = blocked !== null || action.busy;
  return (
    <div class="panel">
      <h2>Your answer</h2>
      {blocked && <p class="blocked">{blocked}</p>}
      <p class="hint">An answer tells the model something. It approves nothing.</p>
      {choices.length > 0 ? (
        <Choices choices={choices} disabled={disabled} onSend={send} />
      ) : (
        <Typed field={schema ? named(fieldOf(schema)) : TEXT} disabled={disabled} onSend={send} />
      )}
      <ErrorNotice error={action.error} />
    </div>
  );
}

/** A schema without a title makes a field without a name. */
const named = (field: Field): Field => ({ ...field, title: field.title || 'Answer' });

const TEXT: Field = {
  ...{ is: 'text', name: '', title: 'Answer', description: null, required: true, nullable: false },
  ...{ long: true, format: null, limits: { shortest: 1 } },
};

interface FormProps {
  disabled: boolean;
  onSend: (value: Json) => void;
}

function Choices({ choices, disabled, onSend }: FormProps & { choices: string[] }) {
  const [chosen, setChosen] = useState(-1);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (chosen >= 0) onSend(choices[chosen]!);
      }}
    >
      <fieldset class="radios">
        <legend class="unseen-label">Choices</legend>
        {choices.map((choice, index) => (
          <label class="radio">
            <input type="radio" name="choice" checked={chosen === index} onChange={() => setChosen(index)} />
            <Lines of={choice} />
          </label>
        ))}
      </fieldset>
      <button type="submit" class="primary" disabled={disabled || chosen < 0}>
        Send this answer
      </button>
    </form>
  );
}

function Typed({ field, disabled, onSend }: FormProps & { field: Field }) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, undefined));
  const [faults, setFaults] = useState<FormFault[]>([]);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = valueOf(field, draft);
    if (!read.ok) return setFaults(read.faults);
    return onSend(read.value ?? null);
  };
  return (
    <form onSubmit={submit} noValidate>
      <SchemaForm
        field={field}
        draft={draft}
        faults={faults}
        onChange={(next) => {
          setDraft(next);
          setFaults([]);
        }}
      />
      <button type="submit" class="primary" disabled={disabled}>
        Send this answer
      </button>
    </form>
  );
}
