/** MCP servers of PyPI. */
import { pythonPackages } from './python-packages';

/** The folder of their programs; null: they are not here, and HOLDFAST_REQUIRE_MCP_SERVERS does not demand them. */
export function pythonMcpServers(): string | null {
  return pythonPackages({
    name: 'mcp-servers-2026.10.19',
    packages: ['mcp-server-git==2026.10.19', 'mcp-server-time==2026.10.19'],
    variable: 'HOLDFAST_REQUIRE_MCP_SERVERS',
  });
}
