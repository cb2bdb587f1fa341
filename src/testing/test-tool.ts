/**
 * Tests whether a tool behaves as its definition says. The engine relies on it: it repeats an `idempotent` tool after a crash,
 * believes a probe, and asks for previews at any time. So the tool is run, repeated and killed. Its effects are counted on the
 * other side, never from the tool's own report.
 */
import { Bench } from './bench';
import { cancelledAfter } from './cancellation';
import { kills, mayRepeat } from './kills';
import { admission, readsOnly } from './read-only';
import { once, repeats } from './repeats';
import type { ToolTest, Claim } from './types';
import type { Tool } from '../tools/define/tool';

export interface ToolReport {
  /** `name@version`. */
  tool: string;
  claims: Claim[];
  unchecked: { claim: string; why: string }[];
  /** One undisturbed run, ms. */
  run_ms: number;
  /** How long a run went on after it was cancelled midway, ms; 0: it had ended before; null: for longer than it may. */
  cancelled_after_ms: number | null;
}

/** The tool does not keep its claims. The report also has the claims that held. */
export class BrokenClaims extends Error {
  override readonly name = 'BrokenClaims';

  constructor(readonly report: ToolReport) {
    const broken = report.claims.filter(({ held }) => !held);
    const lines = broken.map(({ claim, seen }) => `\n- ${claim}: ${seen}`);
    super(`${report.tool} does not keep ${broken.length} of its ${report.claims.length} claims:${lines.join('')}`);
  }
}

/**
 * @example
 * await testTool(pay, { input: { invoice: 'INV-7' }, effects: () => bank.count(), module: { path: require.resolve('./pay') } })
 * @throws BrokenClaims that lists every claim that does not hold
 * @throws Error if the test itself cannot be run: an input that the tool refuses, a module without the tool
 */
export async function testTool<I>(tool: Tool<I>, test: ToolTest<I>): Promise<ToolReport> {
  const bench = new Bench(tool, test);
  const hasEffects = tool.class === 'destructive' || tool.class === 'write';
  await admission(bench);
  if (!hasEffects) await readsOnly(bench);
  else if (await once(bench)) {
    if (mayRepeat(bench)) await repeats(bench);
    await kills(bench);
  }
  const report: ToolReport = {
    tool: `${tool.name}@${tool.version}`,
    claims: bench.claims,
    unchecked: bench.openClaims,
    run_ms: bench.runMs,
    cancelled_after_ms: await cancelledAfter(bench),
  };
  if (report.claims.some(({ held }) => !held)) throw new BrokenClaims(report);
  return report;
}
