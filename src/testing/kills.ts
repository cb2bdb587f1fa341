/** Runs the tool in a process of its own, kills it with SIGKILL during its run, and then runs it again. */
import { setTimeout as wait } from 'node:timers/promises';
import { effects, describeEnd, type Bench } from './bench';
import { newKey } from './context';
import { ToolProcess } from './tool-process';

const KILLS = 10;
/** Repetitions within which a killed run has to succeed. */
const TRIES = 5;
/** Some kills come after the end of the run: the process dies after it has answered. */
const BEYOND = 1.2;

export async function kills(bench: Bench): Promise<void> {
  const { tool, test } = bench;
  if (!mayRepeat(bench) && !tool.reconcile) return;
  const { module, kills: count = KILLS } = test;
  if (!module) {
    bench.openClaims.push({ claim: 'what becomes of a killed run', why: 'testTool was given no `module` to start it from' });
    return;
  }
  const fullRun = await timeFullRun(bench, module);
  if (fullRun === null) return;
  const spread = Math.ceil(count / 2);
  let whole = fullRun;
  // The effect comes after the latest kill that found none, and before the earliest that found it, ms.
  let before = 0;
  let after = whole;
  for (let n = 0; n < count; n++) {
    // First spread over the run, from late to early, since a busy machine makes a first run slow; then close to the effect.
    const moment = n < spread ? ((spread - n - Math.random()) / spread) * whole * BEYOND : (before + after) / 2;
    const { made, took } = await killOnce(bench, module, moment);
    whole = Math.min(whole, took);
    if (made < bench.unit) before = Math.max(before, moment);
    else after = Math.min(after, moment);
  }
}

/** The engine repeats a write after a crash too, even one that is not `idempotent`. */
export function mayRepeat({ tool }: Bench): boolean {
  return tool.idempotent === true || tool.class === 'write';
}

/** How long a whole run takes in such a process, ms; null if it does not succeed there. */
async function timeFullRun(bench: Bench, module: Module): Promise<number | null> {
  const process = await ToolProcess.start(module, bench.tool);
  try {
    const { value, effects: made } = await bench.countEffects(async () => {
      const input = await bench.input();
      const began = Date.now();
      return { result: await process.run(input, newKey()), took: Date.now() - began };
    });
    const good = value.result.ok && made === bench.unit;
    bench.note('it runs in a process of its own', good, `${describeEnd(value.result)}, and made ${effects(made)}`);
    return good ? value.took : null;
  } finally {
    await process.kill();
  }
}

type Module = { path: string; export?: string };

/** @returns the effects that the killed run had made, and how long it took, ms; Infinity if it was killed before its end */
async function killOnce(bench: Bench, module: Module, afterMs: number): Promise<{ made: number; took: number }> {
  const { tool, unit } = bench;
  const when = `killed after ${Math.round(afterMs)} ms`;
  const input = await bench.input();
  const key = newKey();
  let took = Infinity;
  const { effects: made } = await bench.countEffects(async () => {
    const process = await ToolProcess.start(module, tool);
    const began = Date.now();
    void process.run(input, key).then(
      () => (took = Date.now() - began),
      () => undefined, // killed before it answered
    );
    await wait(afterMs);
    await process.kill();
  });
  if (tool.reconcile) {
    const { value: found, effects: more } = await bench.countEffects(() => bench.probe(input, key));
    const agrees = found.outcome === 'applied' ? made + more >= unit : found.outcome === 'unknown' || made + more === 0;
    const observation = `${when} it had made ${effects(made + more)}, and the probe said ${found.outcome}`;
    bench.note('`reconcile` agrees with the other side after a kill', agrees && more === 0, observation);
  }
  if (!mayRepeat(bench)) return { made, took };
  const again = await bench.countEffects(async () => {
    for (let attempt = 2; ; attempt++) {
      const result = await bench.run(input, key, attempt);
      if (result.ok || attempt > TRIES) return result;
    }
  });
  const observation = `${when} it had made ${effects(made)}, and after it was run again ${effects(made + again.effects)}; ${describeEnd(again.value)}`;
  bench.note(
    'killed and run again with its key, it succeeds and has acted once',
    again.value.ok && made + again.effects === unit,
    observation,
  );
  return { made, took };
}
