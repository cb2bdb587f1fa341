/**
 * For each promise of a workflow the Temporal SDK keeps a stack trace, for its query `__stack_trace`. Where workflow code runs
 * in the test's own thread, as in every replay and beside engine.ts, its hook sees every promise of the process, and stays
 * until the process ends: the files that come later took up to twenty times as long. No test in that thread asks that query.
 */
import v8 from 'node:v8';

const { createHook } = v8.promiseHooks;

// Node's own hook, which carries AsyncLocalStorage, has a `before`; it comes through here too.
function createOtherHook(hooks: v8.HookCallbacks): ReturnType<typeof createHook> {
  return 'before' in hooks ? createHook(hooks) : () => undefined;
}

// Jest runs this for each file, over one and the same module of Node.
if (createHook.name !== createOtherHook.name) v8.promiseHooks.createHook = createOtherHook;
