/** Tests that previews, probes and checks change nothing, nor any run of a tool that only reads. */
import { canonical } from '../shared/json/canonical';
import type { Json, JsonObject } from '../shared/json/json';
import { runTool } from '../tools/run/run';
import { effects, describeEnd, type Bench } from './bench';
import { contextFor, newKey } from './context';

export async function readsOnly(bench: Bench): Promise<void> {
  const outcome = await bench.countEffects(async () => {
    const input = await bench.input();
    const began = Date.now();
    const first = await bench.run(input, newKey());
    bench.runMs = Date.now() - began;
    return [first, await bench.run(input, newKey())];
  });
  const failed = outcome.value.find((result) => !result.ok);
  bench.note('it runs, and its result is what `output` says', !failed, describeEnd(failed ?? outcome.value[0]!));
  bench.note(
    `it changes nothing, being of class ${bench.tool.class}`,
    outcome.effects === 0,
    `two runs made ${effects(outcome.effects)}`,
  );
}

export async function admission(bench: Bench): Promise<void> {
  const { tool } = bench;
  const checked = await bench.countEffects(() => bench.input());
  if (tool.check) bench.note('`check` changes nothing', checked.effects === 0, `it made ${effects(checked.effects)}`);
  if (tool.preview) await preview(bench);
  if (tool.reconcile) await probeOfNothing(bench);
}

async function preview(bench: Bench): Promise<void> {
  const { tool } = bench;
  const asTool = { ...tool, class: 'read' as const, run: tool.preview!, output: undefined };
  const show = (input: JsonObject) => runTool(asTool, input, contextFor(tool.name, newKey()), { timeoutMs: bench.timeoutMs });
  const { value, effects: count } = await bench.countEffects(async () => {
    const input = await bench.input();
    return { input, first: await show(input), second: await show(input) };
  });
  bench.note('`preview` changes nothing', count === 0, `two of them made ${effects(count)}`);
  const { input, first, second } = value;
  if (!first.ok || !second.ok) return bench.note('`preview` succeeds', false, describeEnd(first.ok ? second : first));
  const same = tool.previewTolerance?.(first.data, second.data, input) ?? canonical(first.data) === canonical(second.data);
  bench.note('`preview` stays the same while nothing changes', same, `${cut(first.data)}, then ${cut(second.data)}`);
}

async function probeOfNothing(bench: Bench): Promise<void> {
  const { value: found, effects: count } = await bench.countEffects(async () => bench.probe(await bench.input(), newKey()));
  bench.note('`reconcile` changes nothing', count === 0, `it made ${effects(count)}`);
  bench.note('`reconcile` does not say "applied" of a key that was never run', found.outcome !== 'applied', found.outcome);
}

function cut(value: Json): string {
  return JSON.stringify(value).slice(0, 100).toWellFormed();
}
