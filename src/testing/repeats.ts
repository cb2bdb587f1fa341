/** Runs a tool several times with one key, in turn and at once: it must act once. */
import { effects, describeEnd, type Bench } from './bench';
import { newKey } from './context';

const IN_TURN = 3;

/** One undisturbed run, as the baseline for the others. False: it failed, and nothing can be measured. */
export async function once(bench: Bench): Promise<boolean> {
  const { tool } = bench;
  const input = await bench.input();
  const key = newKey();
  const began = Date.now();
  const { value, effects: count } = await bench.countEffects(async () => {
    const result = await bench.run(input, key);
    bench.runMs = Date.now() - began;
    return result;
  });
  bench.note('it runs, and its result is what `output` says', value.ok, describeEnd(value));
  bench.note('one run is counted by `effects`', count >= 1, `it made ${effects(count)}`);
  if (!value.ok || count < 1) return false;
  bench.unit = count;
  if (tool.reconcile) {
    const { value: found, effects: more } = await bench.countEffects(() => bench.probe(input, key));
    bench.note('`reconcile` does not say "not_applied" of a run that succeeded', found.outcome !== 'not_applied', found.outcome);
    bench.note('`reconcile` changes nothing after a run', more === 0, `it made ${effects(more)}`);
  }
  return true;
}

export async function repeats(bench: Bench): Promise<void> {
  const inTurn = await bench.countEffects(async () => {
    const input = await bench.input();
    const key = newKey();
    const results = [];
    for (let attempt = 1; attempt <= IN_TURN; attempt++) results.push(await bench.run(input, key, attempt));
    return results;
  });
  const last = inTurn.value.find((result) => !result.ok) ?? inTurn.value[0]!;
  const observation = `${IN_TURN} runs made ${effects(inTurn.effects)}; ${describeEnd(last)}`;
  bench.note('runs with one key in turn all succeed and act once', last.ok && inTurn.effects === bench.unit, observation);

  const together = bench.test.together ?? 5;
  const atOnce = await bench.countEffects(async () => {
    const input = await bench.input();
    const key = newKey();
    return Promise.all(Array.from({ length: together }, () => bench.run(input, key)));
  });
  const some = atOnce.value.some((result) => result.ok);
  const observationAtOnce = `${together} runs made ${effects(atOnce.effects)}; ${some ? 'one succeeded' : describeEnd(atOnce.value[0]!)}`;
  bench.note('runs with one key at once act once', some && atOnce.effects === bench.unit, observationAtOnce);
}
