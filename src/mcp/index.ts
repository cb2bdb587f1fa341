/** The exports of this folder: tools of MCP servers (docs/mcp.md). */
export {
  acceptedClass,
  acceptedPath,
  isAnswerCode,
  readAcceptedTools,
  readTrustedErrors,
  writeAcceptedTools,
  type AcceptedTools,
  type TrustedErrors,
} from './accepted-file';
export { CLASSES, classOf, proposedClass, type AcceptableClass } from './listed-tool';
export { Connection } from './connection/connection';
export type { ListedTool } from './listed-tool';
export { toolName } from './listed-tool';
export {
  BadServersFile,
  readEntries,
  readServers,
  serverOf,
  writeEntries,
  type ServerConfig,
  type ServerEntry,
} from './servers-file';
export { McpServers, type McpSettings } from './servers';
