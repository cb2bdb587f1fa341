/** What `holdfast/app` and `holdfast/tools` both export: what defines a tool, and makes its results. */
export { defineTool } from '../tools/define/define';
export { ToolError } from '../tools/define/errors';
export {
  content,
  shownFile,
  type ContentItem,
  type ShownPart,
  binaryFile,
  type BinaryFile,
  type FileResult,
} from '../tools/results/result-files';
export {
  fetchAllPages,
  page,
  pageInput,
  pageOfList,
  pagePosition,
  pageProperties,
  type AllPages,
  type Cursors,
  type Page,
  type PageInput,
  type Pagination,
} from '../tools/results/pages';
export { outline, truncated, truncateInput, truncateProperties, type Truncated } from '../tools/results/truncate';
export type { FileKind } from '../shared/turn/message';
export type { ErrorCode, ErrorKind } from '../shared/wire/error-codes';
export type { CallError } from '../shapes/envelope';
export type { Json, JsonObject } from '../shared/json/json';
export type { ToolClass } from '../shared/turn/tool-class';
export type {
  CheckFault,
  DescriptionParts,
  Later,
  LaterOptions,
  PollAnswer,
  RuleTarget,
  TokenEstimate,
  Tool,
  ToolContext,
  ToolDefinition,
  ToolLimits,
  ToolLogger,
  ToolProgress,
  ToolYield,
  ToolStore,
  TypicalError,
} from '../tools/define/tool';
