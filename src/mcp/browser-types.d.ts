/** Declares a browser type that the MCP SDK's declarations use. */
type HeadersInit = ConstructorParameters<typeof Headers>[0];
