/** A history as proto3 JSON, as Temporal's own tools write it; the SDK has no public name for either. */
export { historyFromJSON, historyToJSON } from '@temporalio/common/lib/proto-utils';
