/** Runs one admitted call, by its class. */
import { Context } from '@temporalio/activity';
import type { RunCallInput, RunCallOutput } from '../../shared/io/activities';
import { resolveCall, heldByReset, checkRulesAndHolds } from '../checks/resolve-call';
import type { Dependencies } from '../ports';
import { answeredCall } from '../people/check-decisions';
import { runDestructive } from '../effects/run-destructive';
import { runWithRetries } from './run-with-retries';
import type { CallContext } from './call-context';

export async function runCall(deps: Dependencies, input: RunCallInput): Promise<RunCallOutput> {
  const began = performance.now();
  const resolution = await resolveCall(deps, input);
  if (!resolution.ok) return resolution.output;
  const request = { ...input, validation_ms: (input.validation_ms ?? 0) + Math.round(performance.now() - began) };
  const run = { ...resolution.run, request };
  const output = await runAdmittedCall(run);
  count(run, output);
  return output;
}

async function runAdmittedCall(run: CallContext): Promise<RunCallOutput> {
  if (run.tool.question) return answeredCall(run);
  const reset = await heldByReset(run);
  if (reset) return reset;
  if (run.tool.class === 'destructive') return runDestructive(run);
  return (await checkRulesAndHolds(run)) ?? runWithRetries(run);
}

/** Counts the call in the metrics. Only registered tools reach this: their names become labels. */
function count({ deps: { metrics }, tool: { name }, call }: CallContext, output: RunCallOutput): void {
  if (output.busy_ms !== undefined) return metrics.waited(name);
  if (call.dispatch > 1) metrics.retried(name);
  // The time of the whole call, with all attempts and pauses. The two clocks may differ a little.
  const ms = Math.max(output.took_ms, Date.now() - Context.current().info.scheduledTimestampMs);
  metrics.ended(name, output.error?.code ?? null, ms);
}
