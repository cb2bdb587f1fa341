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
        {data?.agents.map(({ name, tools, mcp_servers, mode }) => (
          <li>
            <a href={writeRoute({ page: 'agent', agent: name })}>
              <strong>
                <Words of={name} />
              </strong>
            </a>
            <p class="row-facts">
              <span>mode {mode}</span>
              <Words of={[...tools, ...mcp_servers.map((server) => `${server} (MCP)`)].join(', ')} />
            </p>
          </li>
        ))}
      </ul>
    </>
  );
}
