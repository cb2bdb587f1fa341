/**
 * What workflow code sees of its own run, and the SDK has no public name for. test/unit/temporal/sdk-private.test.ts fails where
 * another version of the SDK does something else.
 */
export { getActivator } from '@temporalio/workflow/lib/global-attributes';
