/** One agent: its tools with their rules in words, who must approve, its limits and budgets. */
import type { AgentView } from '../../../../../src/shapes/agent-view';
import { asJson } from '../../../../../src/shared/json/json';
import { readAgent } from '../../api/agents';
import { count, dollars, duration } from '../../lib/format';
import { Badge } from '../../parts/badge';
import { Facts } from '../../parts/facts';
import { Title } from '../../parts/layout';
import { PendingPage } from '../../parts/pending-page';
import { Lines, Value, Words } from '../../parts/text';
import { useLoad } from '../../parts/use-load';
import { Check } from './check';
import { ApprovalEntries } from './requirement';

export function AgentPage({ agent }: { agent: string }) {
  const { data, error, reload } = useLoad(agent, () => readAgent(agent));
  if (data === null) return <PendingPage title={`Agent ${agent}`} what="Reading the agent" error={error} retry={reload} />;
  return (
    <>
      <Title title={agent}>
        Agent <Words of={agent} />
      </Title>
      <AgentFacts agent={data} />
      <h2>Tools</h2>
      {data.tools.map((tool) => (
        <Tool key={tool.name} tool={tool} />
      ))}
      {data.tools.length > 0 && <Check agent={agent} tools={data.tools} />}
      <h2>As it is defined</h2>
      <details>
        <summary>Rules, approvals and budgets</summary>
        <Value of={asJson({ permissions: data.permissions, approvals: data.approvals, budgets: data.budgets })} />
      </details>
      {data.prompt !== null && (
        <details>
          <summary>Prompt</summary>
          <Lines of={data.prompt} />
        </details>
      )}
    </>
  );
}

function AgentFacts({ agent }: { agent: AgentView }) {
  const { limits, approval_expiry_ms, mode, model, mcp_servers } = agent;
  const none = 'no limit';
  const rows: [string, string][] = [
    ['Model', model ?? 'as the workers are set'],
    ['Mode', mode],
    ['Waits for a person', `at most ${duration(approval_expiry_ms)}`],
    ['Steps of a turn', limits.steps === null ? none : `at most ${count(limits.steps)}`],
    ['Cost of a turn', limits.cost_usd === null ? none : `at most ${dollars(limits.cost_usd)}`],
    ['Time of a turn', limits.time_ms === null ? none : `at most ${duration(limits.time_ms)}`],
    ...(mcp_servers.length === 0 ? [] : [['MCP servers', mcp_servers.join(', ')] as [string, string]]),
  ];
  return <Facts rows={rows} />;
}

function Tool({ tool }: { tool: AgentView['tools'][number] }) {
  const { name, version, words, description, rules, budgets } = tool;
  return (
    <section class="agent-tool">
      <p class="row-facts">
        <strong>
          <Words of={name} />
        </strong>
        <Badge tone={tool.class === 'destructive' ? 'warn' : 'plain'}>{tool.class}</Badge>
        <span>
          version <Words of={version} />
        </span>
      </p>
      {words.map((sentence) => (
        <p>
          <Words of={sentence} />
        </p>
      ))}
      {tool.approval_entries.length > 0 && <ApprovalEntries entries={tool.approval_entries} />}
      <details>
        <summary>Description and rules</summary>
        <Lines of={description} />
        <ul>
          {rules.map(({ effect, rule, why }) => (
            <li>
              {effect} <Words of={rule} />
              {why && (
                <>
                  : <Words of={why} />
                </>
              )}
            </li>
          ))}
        </ul>
        {budgets.length > 0 && (
          <p>
            Budgets: <Words of={budgets.join(', ')} />
          </p>
        )}
      </details>
    </section>
  );
}
