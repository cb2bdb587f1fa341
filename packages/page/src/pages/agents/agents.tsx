/** The agents that the workers serve. */
import { listAgents } from '../../api/agents';
import { writeRoute } from '../../lib/route';
import { Title } from '../../parts/layout';
import { Empty, ErrorNotice, Reading } from '../../parts/notice';
import { Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';

export function AgentsPage() {
  const { data, error, reload } = useLoad('agents', listAgents);
  return (
    <>
      <Title title="Agents">Agents and their tools</Title>
      <ErrorNotice error={error} retry={reload} />
      {data === null && !error && <Reading />}
      {data?.agents.length === 0 && <Empty>This gateway knows no agents: it was started without the app of the workers.</Empty>}
      <ul class="plain-list">
        {data?.agents.map(({ name, tools }) => (
          <li>
            <a href={writeRoute({ page: 'agent', agent: name })}>
              <Words of={name} />
            </a>{' '}
            <span class="soft">{Array.isArray(tools) ? <Words of={tools.join(', ')} /> : `${tools} tools`}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
