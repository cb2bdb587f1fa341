/**
 * For each promise of a workflow the Temporal SDK keeps a stack trace, for its query `__stack_trace`. Where workflow code runs
 * in the test's own thread, as in replays and beside engine.ts, its hook sees every promise of the process, and takes a third
 * of a test's time. No test in that thread asks that query.
 */
import { globalHandlers } from '@temporalio/worker/lib/workflow/vm-shared';

(globalHandlers as unknown as { setPromiseHook(): void }).setPromiseHook = () => undefined;
