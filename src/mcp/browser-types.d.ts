/** A type of browsers that the MCP SDK's declarations name. */
type HeadersInit = ConstructorParameters<typeof Headers>[0];
