/** Runs one admitted call. Which way depends on its class alone. */
import { Context } from '@temporalio/activity';
import type { RunCallInput, RunCallOutput } from '../../shared/io/activities';
import type { JsonObject } from '../../shared/json/json';
import type { ToolMetrics } from '../../telemetry/tool-metrics';
import { checkedCall, heldByReset, holdOrRefuse } from '../checks/checks-before-call';
import type { Dependencies } from '../ports';
import { runDestructive } from '../effects/run-destructive';
import { runWithRetries } from './run-retried';
import type { Tool } from '../../tools/define/tool';

export async function runCall(deps: Dependencies, input: RunCallInput): Promise<RunCallOutput> {
  const began = performance.now();
  const checked = await checkedCall(deps, input);
  if (!checked.ok) return checked.refused;
  const { tool, input: effective } = checked;
  const request = { ...input, validation_ms: (input.validation_ms ?? 0) + Math.round(performance.now() - began) };
  const output = await runAdmittedCall(deps, request, tool, effective);
  count(deps.metrics, tool, input, output);
  return output;
}

async function runAdmittedCall(
  deps: Dependencies,
  input: RunCallInput,
  tool: Tool,
  effective: JsonObject,
): Promise<RunCallOutput> {
  const reset = await heldByReset(deps, input);
  if (reset) return reset;
  if (tool.class === 'destructive') return runDestructive(deps, input, tool, effective);
  return (await holdOrRefuse(deps, input, tool, effective)) ?? runWithRetries(deps, input, tool, effective);
}

/** Only here, where the tool is known to be registered: its name becomes a label. */
function count(metrics: ToolMetrics, { name }: Tool, { call }: RunCallInput, output: RunCallOutput): void {
  if (output.busy_ms !== undefined) return metrics.waited(name);
  if (call.dispatch > 1) metrics.retried(name);
  // Of the whole call: its attempts, and the waiting between them. The two clocks may differ a little.
  const ms = Math.max(output.took_ms, Date.now() - Context.current().info.scheduledTimestampMs);
  metrics.ended(name, output.error?.code ?? null, ms);
}
