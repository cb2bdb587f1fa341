/** What a tool author imports from `holdfast/testing` (docs/testing-tools.md). */
export { BrokenClaims, testTool, type ToolReport } from './test-tool';
export type { Claim, ToolTest } from './types';
