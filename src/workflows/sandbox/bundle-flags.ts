/** What a worker turns on in workflow code by flags in front of the bundle (worker/workflow-bundle.ts). */
import { DefaultFailureConverter } from '@temporalio/common';

// Keeps the SDK from taking a stack trace of each promise of workflow code: that is most of what a promise costs (70 µs of CPU, 2 µs
// without). Temporal's Web UI then shows no call stack of a turn; `HOLDFAST_WORKFLOW_STACKS=on` brings it back. Errors of workflow
// code keep their stack traces.
//
// For each promise, the SDK's promise hook evaluates two expressions in the promise's realm, by `promise.constructor.constructor`. Here
// this is a function that answers without evaluating: with the activator, and with an Error class without stack traces, at which the
// hook ends. test/unit/temporal/sdk-private.test.ts fails if another version of the SDK evaluates something else.

export interface Realm {
  Promise: PromiseConstructor;
  __TEMPORAL_ACTIVATOR__?: unknown;
  holdfastWorkflowStacks?: boolean;
}

export function skipPromiseStacks(realm: Realm): void {
  class NoStack {}
  const answers: Record<string, () => unknown> = {
    'return globalThis.__TEMPORAL_ACTIVATOR__': () => realm.__TEMPORAL_ACTIVATOR__,
    'return globalThis.Error': () => NoStack,
  };
  const evaluate = (code: string) => answers[code] ?? Function(code);
  Object.defineProperty(realm.Promise, 'constructor', { value: evaluate });
}

// Failures of workflow code: where payloads are encrypted, message and stack trace become a payload too; elsewhere they stay as they are.
// Both are read either way.

const { holdfastEncryption = false } = globalThis as { holdfastEncryption?: boolean };

/** The SDK looks for this name. */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: holdfastEncryption });
