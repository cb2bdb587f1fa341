/** What a tool author imports from `holdfast/testing` (docs/testing-tools.md). */
export { BrokenClaims, testTool, type Claim, type ToolReport, type ToolTest } from './test-tool';
