/** Runs one tool under test as a worker runs it, counts its effects outside, and notes which claims hold. */
import type { JsonObject } from '../shared/json/json';
import { timeLimitOf } from '../shared/turn/tool-class';
import { checkInput } from '../tools/admit/admit';
import { readProbeAnswer, unknown, type ProbeFinding } from '../tools/run/tool-output';
import { runTool, type RunResult } from '../tools/run/run';
import { compiledInput } from '../tools/schema/schema';
import { contextFor } from './context';
import type { Claim, ToolTest } from './types';
import type { Tool } from '../tools/define/tool';

export class Bench {
  readonly claims: Claim[] = [];
  readonly openClaims: { claim: string; why: string }[] = [];
  /** Effects that one undisturbed run makes. */
  unit = 1;
  /** What one undisturbed run takes, ms. */
  runMs = 0;

  constructor(
    readonly tool: Tool,
    readonly test: ToolTest,
  ) {}

  /** The effective input, as the engine would make it. @throws Error if it would be refused: then nothing can be tested */
  async input(): Promise<JsonObject> {
    const value: unknown = typeof this.test.input === 'function' ? await this.test.input() : this.test.input;
    const checked = checkInput({ tool: this.tool, ...compiledInput(this.tool.input) }, value as JsonObject);
    if (checked.ok) return checked.input;
    throw new Error(`The input given to testTool does not fit ${this.tool.name}: ${checked.error.message}`);
  }

  run(input: JsonObject, key: string, attempt = 1): Promise<RunResult> {
    // Run as a write, so that a fault of its output is a failure: a destructive tool's result would be kept, and marked.
    const strict = this.tool.class === 'destructive' ? { ...this.tool, class: 'write' as const } : this.tool;
    return runTool(strict, input, contextFor(this.tool.name, key, attempt), { timeoutMs: this.timeoutMs });
  }

  async probe(input: JsonObject, key: string): Promise<ProbeFinding> {
    const asTool = { ...this.tool, class: 'read' as const, run: this.tool.reconcile!, output: undefined };
    const result = await runTool(asTool, input, contextFor(this.tool.name, key), { timeoutMs: this.timeoutMs });
    return result.ok ? readProbeAnswer(result.data) : unknown(`The probe failed: ${result.error.message}`);
  }

  get timeoutMs(): number {
    return timeLimitOf(this.tool);
  }

  /** How many effects the work has added, once the other side has had time to count. */
  async countEffects<T>(work: () => Promise<T>): Promise<{ value: T; effects: number }> {
    const before = await this.effects();
    const value = await work();
    await this.settle();
    return { value, effects: (await this.effects()) - before };
  }

  async effects(): Promise<number> {
    const count = await this.test.effects();
    if (Number.isInteger(count) && count >= 0) return count;
    throw new Error(`effects() given to testTool answered ${String(count)}; it must be a whole number, 0 or more.`);
  }

  async settle(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, this.test.settleMs ?? 200));
  }

  note(claim: string, holds: boolean, observation: string): void {
    this.claims.push({ claim, held: holds, seen: observation });
  }
}

export function describeEnd(result: RunResult): string {
  return result.ok ? 'succeeded' : `failed with ${result.error.code} ${result.error.reason}: ${result.error.message}`;
}

/** "one effect", "3 effects". */
export function effects(count: number): string {
  return count === 1 ? 'one effect' : `${count} effects`;
}
