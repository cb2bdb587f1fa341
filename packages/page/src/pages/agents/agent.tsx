/** One agent: its tools with their rules, and what the rules would say to a call. */
import { useState } from 'preact/hooks';
import { isJsonObject, type Json, type JsonObject } from '../../../../../src/shared/json/json';
import { checkTool, readAgent } from '../../api/agents';
import { draftOf, valueOf, type Draft, type FormFault } from '../../lib/form-value';
import { fieldOf, type Field } from '../../lib/schema-fields';
import { Title } from '../../parts/layout';
import { ErrorNotice } from '../../parts/notice';
import { PendingPage } from '../../parts/pending-page';
import { SchemaForm } from '../../parts/schema-form';
import { Value, Words } from '../../parts/text';
import { useAction, useLoad } from '../../parts/use-load';
import { visible } from '../../../../../src/shared/text/visible';

export function AgentPage({ agent }: { agent: string }) {
  const { data, error, reload } = useLoad(agent, () => readAgent(agent));
  if (data === null) return <PendingPage title={`Agent ${agent}`} what="Reading the agent" error={error} retry={reload} />;
  const { name: _, tools, ...rest } = data;
  const list = Array.isArray(tools) ? tools.filter(isJsonObject) : [];
  return (
    <>
      <Title title={agent}>
        Agent <Words of={agent} />
      </Title>
      <h2>Rules</h2>
      <Value of={rest} />
      <h2>Tools</h2>
      {list.map((tool) => (
        <details class="tool">
          <summary>
            <strong>
              <Words of={textOf(tool.name)} />
            </strong>{' '}
            <span class="soft">
              <Words of={`${textOf(tool.class)} ${textOf(tool.version)}`} />
            </span>
          </summary>
          <Value of={without(tool, 'parameters', 'name', 'class', 'version')} />
        </details>
      ))}
      {list.length > 0 && <Check agent={agent} tools={list} />}
    </>
  );
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

function without(value: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

const RAW: Field = { is: 'json', name: '', title: 'Input', description: null, required: true, nullable: false };

/** What `holdfast tools check` says, as a form: nothing is run. */
function Check({ agent, tools }: { agent: string; tools: JsonObject[] }) {
  const [tool, setTool] = useState(textOf(tools[0]?.name));
  const schema = tools.find(({ name }) => name === tool)?.parameters;
  const field = schema === undefined ? RAW : fieldOf(schema);
  const [draft, setDraft] = useState<Draft>(() => draftOf(field, undefined));
  const [faults, setFaults] = useState<FormFault[]>([]);
  const [answer, setAnswer] = useState<JsonObject | null>(null);
  const action = useAction();
  const choose = (name: string) => {
    const next = tools.find((one) => one.name === name)?.parameters;
    setTool(name);
    setDraft(draftOf(next === undefined ? RAW : fieldOf(next), undefined));
    setFaults([]);
    setAnswer(null);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    const read = valueOf(field, draft);
    if (!read.ok) return setFaults(read.faults);
    const input = isJsonObject(read.value) ? read.value : {};
    return void action.run(async () => setAnswer(await checkTool(agent, { tool, input })));
  };
  return (
    <section>
      <h2>What would the rules say?</h2>
      <p class="hint">Nothing is run: this asks the rules of the agent about a call with this input.</p>
      <form class="check" onSubmit={submit} noValidate>
        <label for="check-tool">Tool</label>
        <select id="check-tool" value={tool} onChange={({ currentTarget: { value } }) => choose(value)}>
          {tools.map(({ name }) => (
            <option value={textOf(name)}>{visible(textOf(name))}</option>
          ))}
        </select>
        <SchemaForm
          key={tool}
          field={field}
          draft={draft}
          faults={faults}
          onChange={(next) => {
            setDraft(next);
            setFaults([]);
          }}
        />
        <button type="submit" class="primary" disabled={action.busy}>
          Ask the rules
        </button>
      </form>
      <ErrorNotice error={action.error} />
      {answer && (
        <div class="verdict" role="status">
          <h3>The rules say</h3>
          <Value of={answer} />
        </div>
      )}
    </section>
  );
}
