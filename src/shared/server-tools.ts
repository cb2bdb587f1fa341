/** Names of tools that an MCP server offers: the server's, then the tool's. */

/** Between the server's name and its tool's: no server has it in its name, so that the first one parts them. */
export const SEPARATOR = '__';

/** Whether a tool's name, or a pattern over names, can only mean tools of these servers. */
export function isFrom(servers: readonly string[], name: string): boolean {
  return servers.some((server) => name.startsWith(`${server}${SEPARATOR}`));
}
