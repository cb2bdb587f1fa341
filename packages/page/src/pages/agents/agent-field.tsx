/** Chooses an agent: from the list if the gateway knows one, else by its name. */
import { visible } from '../../../../../src/shared/text/visible';
import { listAgents } from '../../api/agents';
import { useLoad } from '../../parts/use-load';

export function AgentField({ value, onChange }: { value: string; onChange: (agent: string) => void }) {
  const known = useLoad('agents', () => listAgents().catch(() => ({ agents: [] })));
  const names = known.data?.agents.map(({ name }) => name) ?? [];
  return (
    <>
      <label for="agent">Agent</label>
      {names.length > 0 ? (
        <select id="agent" required value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
          <option value="">Choose …</option>
          {names.map((name) => (
            <option value={name}>{visible(name)}</option>
          ))}
        </select>
      ) : (
        <input
          id="agent"
          required
          autocomplete="off"
          value={value}
          onInput={({ currentTarget }) => onChange(currentTarget.value.trim())}
        />
      )}
    </>
  );
}
