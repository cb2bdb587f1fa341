/**
 * The Temporal SDK calls into workflow code with a time limit, and for each limit Node starts a thread and ends it again. Where that
 * code runs in the test's own thread, the SDK sets the longest limit there is, 49 days: those threads took a tenth of a run.
 */
import vm from 'node:vm';

const LONGEST_MS = 2 ** 32 - 1;

const { prototype } = vm.Script;
const runInContext = prototype.runInContext;

function withoutLongestLimit(this: vm.Script, context: vm.Context, options?: vm.RunningCodeInNewContextOptions): unknown {
  if (options?.timeout !== LONGEST_MS) return runInContext.call(this, context, options);
  const { timeout: _, ...rest } = options;
  return runInContext.call(this, context, rest);
}

// Jest runs this for each file, over one and the same module of Node.
if (runInContext.name !== withoutLongestLimit.name) prototype.runInContext = withoutLongestLimit;
