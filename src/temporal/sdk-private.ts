/**
 * SDK functions that we use and that have no public export: test/unit/temporal/sdk-private.test.ts checks what each has to do,
 * and fails if another version of the SDK behaves differently. Two others are in files of their own, because of what they load:
 * histories as JSON (history-json.ts), and what workflow code sees of its own run (workflows/sandbox/activator.ts).
 */
export { executionInfoFromRaw } from '@temporalio/client/lib/helpers';
export { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
