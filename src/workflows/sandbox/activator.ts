/**
 * What workflow code needs to know of its own run, and has no public name in the SDK. test/unit/temporal/sdk-private.test.ts
 * fails if another version of the SDK behaves differently.
 */
export { getActivator } from '@temporalio/workflow/lib/global-attributes';
