/** What an author of tools, of a store or of a model provider imports from `holdfast/testing` (docs/testing-tools.md, docs/embedding.md). */
export { BrokenClaims, testTool, type ToolReport } from './test-tool';
export type { Claim, ToolTest } from './types';
export type { Tool } from '../tools/define/tool';
export type { Store } from '../store/store';
export { BrokenStore, testStore, type StoreReport } from './test-store';
export {
  modelConformance,
  type ConformanceCheck,
  type ConformanceSubject,
  type WireAnswer,
  type WireFault,
  type WireServer,
} from './model-conformance';
