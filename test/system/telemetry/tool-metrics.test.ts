/** Metrics of tools: in a real worker's `/metrics`, in a prom-client registry, and in the alert rules. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import { parse } from 'yaml';
import { HoldfastClient } from '../../../src/client';
import { dataConverter } from '../../../src/temporal/data-converter';
import { startRehearsal } from '../../../src/model/rehearsal';
import { ACTIVITY_METRICS } from '../../../src/telemetry/activity-metrics';
import { MODEL_METRICS } from '../../../src/telemetry/model-metrics';
import { promToolMetrics } from '../../../src/telemetry/prom-tool-metrics';
import { TOOL_COUNTERS, TOOL_DURATION } from '../../../src/telemetry/tool-metrics';
import { ToolError } from '../../../src/tools/define/errors';
import { testAddress, withEngine } from '../../engine/support/engine';
import { WorkerProcess } from '../support/fault-stage';
import { freePort } from '../../support/free-port';
import { ask, say } from '../../support/scripted-model';
import { reads } from '../../support/tools';

const APP = join(__dirname, 'fixtures/metrics.app.ts');
const RULES = join(__dirname, '../../../docker/prometheus/holdfast-alerts.yml');

interface Rule {
  alert: string;
  expr: string;
  for: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

async function rules(): Promise<Rule[]> {
  const file = parse(await readFile(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
}

/** Value of the sample of this name whose labels hold these; undefined: none. */
function sample(text: string, name: string, labels: Record<string, string> = {}): number | undefined {
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  const line = text
    .split('\n')
    .find((line) => (line.startsWith(`${name}{`) || line.startsWith(`${name} `)) && wanted.every((pair) => line.includes(pair)));
  return line === undefined ? undefined : Number(line.split(' ').at(-1));
}

describe("a worker's metrics", () => {
  it('count calls, successes, errors by code, retries, cache hits and durations by tool, and have all that the alert rules name', async () => {
    const home = await mkdtemp(join(tmpdir(), 'holdfast-metrics-'));
    const taskQueue = `metrics-${randomBytes(6).toString('hex')}`;
    const use = (name: string) => ({ type: 'tool_use', name, input: {} });
    const script = [
      { content: [use('steady'), use('flaky'), use('broken'), use('made_up_by_the_model')] },
      { content: [use('steady')] },
      { content: [{ type: 'text', text: 'Done.' }] },
    ];
    const model = await startRehearsal({ script });
    const connection = await Connection.connect({ address: testAddress() });
    const client = new HoldfastClient(new Client({ connection, dataConverter }), { taskQueue, uiUrl: null });
    const port = await freePort();
    const worker = new WorkerProcess(
      {
        HOLDFAST_HOME: home,
        HOLDFAST_TASK_QUEUE: taskQueue,
        HOLDFAST_MODEL: 'anthropic',
        HOLDFAST_LOG_LEVEL: 'error',
        HOLDFAST_METRICS_PORT: String(port),
        ANTHROPIC_API_KEY: 'no-key-at-all',
        ANTHROPIC_BASE_URL: model.baseUrl,
        TEMPORAL_ADDRESS: testAddress(),
      },
      APP,
    );
    try {
      await worker.ready;
      const view = await (await client.start({ agent: 'counter', message: 'Count.' })).result();
      expect(view.state).toBe('completed');
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();

      const of = (counter: keyof typeof TOOL_COUNTERS, labels: Record<string, string>) =>
        sample(text, TOOL_COUNTERS[counter].name, labels);
      expect(of('calls', { tool: 'steady' })).toBe(2);
      expect(of('successes', { tool: 'steady' })).toBe(2);
      expect(of('cacheHits', { tool: 'steady' })).toBe(1);
      expect(of('calls', { tool: 'flaky' })).toBe(1);
      expect(of('retries', { tool: 'flaky' })).toBe(1);
      expect(of('successes', { tool: 'flaky' })).toBe(1);
      expect(of('errors', { tool: 'broken', code: 'RESOURCE_NOT_FOUND' })).toBe(1);
      expect(of('successes', { tool: 'broken' })).toBeUndefined();
      expect(sample(text, `${TOOL_DURATION.name}_count`, { tool: 'steady' })).toBe(2);
      expect(sample(text, `${TOOL_DURATION.name}_bucket`, { tool: 'steady', le: '2000' })).toBe(2);
      expect(text).not.toContain('made_up_by_the_model');
      expect(sample(text, ACTIVITY_METRICS.ended.name, { state: 'completed' })).toBe(1);
      expect(sample(text, MODEL_METRICS.tokens.name, { kind: 'output' })).toBeGreaterThan(0);
      expect(sample(text, MODEL_METRICS.cost.name)).toBeGreaterThanOrEqual(0);

      for (const { alert, expr } of await rules()) {
        const named = expr.match(/\b(?:holdfast|temporal)_\w+/g) ?? [];
        expect(named.length).toBeGreaterThan(0);
        for (const name of named) expect({ alert, name, value: sample(text, name) }).toMatchObject({ value: expect.any(Number) });
      }
    } finally {
      await worker.kill();
      await Promise.all([client.close(), model.close()]);
      await rm(home, { recursive: true, force: true });
    }
  });

  it('are the same in a prom-client registry, which several workers in one process may share', async () => {
    const registry = new Registry();
    promToolMetrics(registry);
    const broken = reads('broken', () => {
      throw new ToolError('RESOURCE_NOT_FOUND', 'not_there', 'nothing');
    });
    const steady = reads('steady', () => 1, { cacheTtlMs: 60_000 });
    const flaky = reads('flaky', async (_input, { attempt }) => {
      if (attempt === 1) throw new ToolError('NETWORK_ERROR', 'lost', 'no connection'); // tried again after 500 ms
      return Promise.resolve(1);
    });
    const script = [ask(['steady', {}], ['broken', {}], ['flaky', {}]), ask(['steady', {}]), say('ok')];
    await withEngine({ tools: [steady, broken, flaky], script, metrics: promToolMetrics(registry) }, async ({ start }) => {
      await (await start()).result();
    });
    const text = await registry.metrics();
    expect(sample(text, TOOL_COUNTERS.calls.name, { tool: 'steady' })).toBe(2);
    expect(sample(text, TOOL_COUNTERS.cacheHits.name, { tool: 'steady' })).toBe(1);
    expect(sample(text, TOOL_COUNTERS.errors.name, { tool: 'broken', code: 'RESOURCE_NOT_FOUND' })).toBe(1);
    expect(sample(text, `${TOOL_DURATION.name}_count`, { tool: 'steady' })).toBe(2);
    expect(sample(text, `${TOOL_DURATION.name}_sum`, { tool: 'flaky' })).toBeGreaterThanOrEqual(450); // the call, not its last attempt
    const names = [...Object.values(TOOL_COUNTERS).map(({ name }) => name), TOOL_DURATION.name];
    expect(registry.getMetricsAsArray().map(({ name }) => name).sort()).toEqual(names.sort()); // oxfmt-ignore
  });
});

describe('the alert rules', () => {
  it('have the five thresholds, each by tool, over a rate, with a least number of calls and a runbook', async () => {
    const thresholds = (await rules()).map(({ expr }) => /^\) ?([<>] [\d.]+)$|\) ([<>] [\d.]+)$/m.exec(expr)?.slice(1).join('').trim()); // oxfmt-ignore
    expect(thresholds).toEqual(['< 0.95', '> 500', '> 2000', '> 0.05', '> 0.10']);
    for (const { expr, labels, annotations, alert } of await rules()) {
      expect(alert).toMatch(/^Holdfast\w+$/);
      expect(expr).toContain('by (tool');
      expect(expr).toMatch(/rate\(\w+\[5m\]\)/);
      expect(expr).toContain('and on (tool) sum by (tool) (increase(holdfast_tool_calls_total[5m])) >= 20');
      expect(expr.split('(').length).toBe(expr.split(')').length);
      expect(['critical', 'warning']).toContain(labels.severity);
      expect(annotations.summary).toContain('$labels.tool');
      expect(annotations.runbook).toContain('docs/operations.md');
    }
  });
});
