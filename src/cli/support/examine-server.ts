/** Asks an MCP server, from this process, what it offers now, and compares that with what was accepted. */
import { mcpLogins, type Config } from '../../config';
import { acceptedPath, Connection, readAcceptedTools, type ServerConfig } from '../../mcp';
import { proposals, type Proposal } from '../../mcp/proposal';
import { acceptNoIsolation } from '../../processes/isolation';
import { createLog } from '../../telemetry/log';

/** Long enough for a first start, in which `npx` or `uvx` downloads the program. */
const FIRST_START_MS = 60_000;

/** @throws Error when the server cannot be reached, or needs a login */
export async function examineServer(config: Config, server: ServerConfig): Promise<Proposal[]> {
  if (config.childrenMayReadSecrets) acceptNoIsolation();
  const connection = new Connection(server, {
    log: createLog(config.logLevel === 'info' ? 'error' : config.logLevel),
    loginFolder: mcpLogins(config.home),
    waitMs: FIRST_START_MS,
  });
  try {
    return proposals(server.name, await connection.tools(true), await readAcceptedTools(acceptedPath(config.mcp)));
  } finally {
    await connection.close();
  }
}
