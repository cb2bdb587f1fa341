/** What the rules would say to a call, as a form: what `holdfast tools check` computes. Nothing is run. */
import { useEffect, useState } from 'preact/hooks';
import type { AgentView, ExplanationView } from '../../../../../src/shapes/agent-view';
import { isJsonObject } from '../../../../../src/shared/json/json';
import { visible } from '../../../../../src/shared/text/visible';
import { checkTool } from '../../api/agents';
import { readToolVersions } from '../../api/turns';
import { draftOf, valueOf, type Draft, type FormFault } from '../../lib/form-value';
import { fieldOf, type Field } from '../../lib/schema-fields';
import { Badge } from '../../parts/badge';
import { ErrorNotice, Reading } from '../../parts/notice';
import { SchemaForm } from '../../parts/schema-form';
import { Lines, Value, Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { ApprovalEntries, requirement } from './requirement';

interface Props {
  agent: string;
  tools: AgentView['tools'];
}

const RAW: Field = { is: 'json', name: '', title: 'Input', description: null, required: true, nullable: false };

export function Check({ agent, tools }: Props) {
  const [tool, setTool] = useState(tools[0]!.name);
  const chosen = tools.find(({ name }) => name === tool);
  const version = chosen?.version;
  const schema = useLoad(tool, async () => {
    const known = await readToolVersions(tool).catch(() => null);
    return { parameters: known?.versions.find((one) => one.version === version)?.parameters ?? null };
  });
  return (
    <section>
      <h2>What would the rules say?</h2>
      <p class="hint">Nothing is run: this asks the rules of the agent about a call with this input.</p>
      <div class="check">
        <label for="check-tool">Tool</label>
        <select id="check-tool" value={tool} onChange={({ currentTarget: { value } }) => setTool(value)}>
          {tools.map(({ name }) => (
            <option value={name}>{visible(name)}</option>
          ))}
        </select>
        {schema.data === null ? (
          <Reading />
        ) : (
          <CheckForm
            key={tool}
            agent={agent}
            tool={tool}
            entries={chosen?.approval_entries ?? []}
            field={schema.data.parameters ? fieldOf(schema.data.parameters) : RAW}
          />
        )}
      </div>
    </section>
  );
}

interface FormProps {
  agent: string;
  tool: string;
  entries: AgentView['tools'][number]['approval_entries'];
  field: Field;
}

function CheckForm({ agent, tool, entries, field }: FormProps) {
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, undefined));
  const [faults, setFaults] = useState<FormFault[]>([]);
  const [answer, setAnswer] = useState<ExplanationView | null>(null);
  const [untrusted, setUntrusted] = useState(false);
  const [requester, setRequester] = useState('');
  const action = useAction();
  useEffect(() => setAnswer(null), [draft, untrusted, requester]);
  const submit = (event: Event) => {
    event.preventDefault();
    const read = valueOf(field, draft);
    if (!read.ok) return setFaults(read.faults);
    const input = isJsonObject(read.value) ? read.value : {};
    const asker = requester.trim() === '' ? {} : { requester: requester.trim() };
    return void action.run(async () => setAnswer(await checkTool(agent, { tool, input, untrusted, ...asker })));
  };
  const change = (next: Draft) => {
    setDraft(next);
    setFaults([]);
  };
  return (
    <form onSubmit={submit} noValidate>
      <SchemaForm field={field} draft={draft} faults={faults} onChange={change} />
      <label for="check-requester">Who asked for it (empty: you)</label>
      <input
        id="check-requester"
        autocomplete="off"
        value={requester}
        onInput={({ currentTarget: { value } }) => setRequester(value)}
      />
      <label class="switch">
        <input type="checkbox" checked={untrusted} onChange={({ currentTarget: { checked } }) => setUntrusted(checked)} />
        <span>As if text of outsiders had been read before</span>
      </label>
      <button type="submit" class="primary" disabled={action.busy}>
        Ask the rules
      </button>
      <ErrorNotice error={action.error} />
      {answer && <Verdict answer={answer} entries={entries} />}
    </form>
  );
}

/** Of the tool's list of approval rules, of which the first that fits applies. */
const ENTRY = {
  matched: 'Of the list of approval rules, the first that fits applies:',
  failed: 'Whether an entry of this list fits could not be found out, so the strictest requirements of the list apply:',
  none: 'No entry of this list fits, so the agent’s common rule applies:',
};

const TONES = { allow: 'good', ask: 'warn', classify: 'warn', deny: 'bad', rejected: 'bad' } as const;

function Verdict({ answer, entries }: { answer: ExplanationView; entries: FormProps['entries'] }) {
  const { verdict, words, reason, rules, warnings, fault, input, approval } = answer;
  return (
    <div class="verdict" role="status">
      <p>
        <Badge tone={TONES[verdict]}>{words}</Badge>
      </p>
      <Lines of={reason} />
      {fault?.hint && <Lines of={fault.hint} />}
      {approval !== null && (verdict === 'ask' || verdict === 'classify') && (
        <p>
          If a person is asked: <Words of={requirement(approval)} />.
        </p>
      )}
      {entries.length > 0 && approval !== null && (
        <>
          <p>{ENTRY[approval.entry?.result ?? 'none']}</p>
          <ApprovalEntries entries={entries} applies={approval.entry?.result === 'matched' ? approval.entry.index : null} />
        </>
      )}
      {warnings.map((warning) => (
        <p>
          <Words of={warning} />
        </p>
      ))}
      <details>
        <summary>Why</summary>
        <ul>
          {rules.map(({ effect, rule, matched, because }) => (
            <li>
              {matched ? 'fits' : 'does not fit'}: {effect} <Words of={rule} />, <Words of={because} />
            </li>
          ))}
        </ul>
        <h3>Effective input</h3>
        <Value of={input} />
      </details>
    </div>
  );
}
