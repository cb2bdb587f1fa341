/**
 * What we use of the SDK's packages that they do not export by a public name: test/unit/temporal/sdk-private.test.ts says what
 * each has to do, and fails where another version of the SDK does something else. Two others stand apart, by what they load:
 * histories as JSON (history-json.ts), and what workflow code sees of its own run (workflows/sandbox/activator.ts).
 */
export { executionInfoFromRaw } from '@temporalio/client/lib/helpers';
export { decodeArrayFromPayloads } from '@temporalio/common/lib/internal-non-workflow';
