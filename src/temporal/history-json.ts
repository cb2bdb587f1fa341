/** Converts a history to and from proto3 JSON, as Temporal's own tools do; the SDK has no public name for these functions. */
export { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
