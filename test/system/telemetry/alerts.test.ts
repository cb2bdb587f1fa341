/**
 * The alert rules and the dashboard. Every metric that they name is one that our processes have. Prometheus' own promtool reads the
 * rules and the expressions, and says which alerts fire on made-up figures: it is needed where HOLDFAST_REQUIRE_PROMTOOL=1
 * (apt-get install prometheus).
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as prom from 'prom-client';
import { parse, stringify } from 'yaml';
import { onPath } from '../../../src/devserver/on-path';
import { HttpMetrics } from '../../../src/gateway/http/observe';
import { ACTIVITY_METRICS } from '../../../src/telemetry/activity-metrics';
import { MODEL_METRICS } from '../../../src/telemetry/model-metrics';
import { READY_METRIC } from '../../../src/telemetry/readiness';
import { TOOL_COUNTERS, TOOL_DURATION } from '../../../src/telemetry/tool-metrics';

const ROOT = join(__dirname, '../../..');
const RULES = join(ROOT, 'docker/prometheus');
const DASHBOARDS = join(ROOT, 'docker/dashboards');

interface Rule {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

const ruleFiles = readdirSync(RULES).filter((name) => name.startsWith('holdfast-'));
const rules = ruleFiles.flatMap((name) => {
  const file = parse(readFileSync(join(RULES, name), 'utf8')) as { groups: { rules: Rule[] }[] };
  return file.groups.flatMap((group) => group.rules);
});

interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { h: number; w: number; x: number; y: number };
  targets?: { expr: string; refId: string; datasource: { uid: string } }[];
}

interface Dashboard {
  title: string;
  uid: string;
  panels: Panel[];
  templating: { list: { name: string; type: string; query: string }[] };
}

const dashboards = readdirSync(DASHBOARDS).map((name) => JSON.parse(readFileSync(join(DASHBOARDS, name), 'utf8')) as Dashboard);
const expressions = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)));

describe('the metrics that alert rules and dashboards name', () => {
  const named = [...rules.map(({ expr }) => expr), ...expressions].flatMap(
    (expr) => expr.match(/\b(?:holdfast|temporal)_\w+/g) ?? [],
  );
  const plain = [...new Set(named.map((name) => name.replace(/_(?:bucket|sum|count)$/, '')))];

  it('are ours, or of the SDK that a worker runs', async () => {
    const ofWorker = [TOOL_COUNTERS, MODEL_METRICS, ACTIVITY_METRICS].flatMap((table) =>
      Object.values(table).map(({ name }) => name),
    );
    const ofGateway = [...(await new HttpMetrics(prom).text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
    const own = new Set([...ofWorker, TOOL_DURATION.name, READY_METRIC.name, ...ofGateway]);
    const releases = join(ROOT, 'node_modules/@temporalio/core-bridge/releases');
    const core = readdirSync(releases).map((system) => readFileSync(join(releases, system, 'index.node')));
    const isKnown = (name: string) =>
      own.has(name) || (name.startsWith('temporal_') && core.some((bytes) => bytes.includes(name.slice('temporal_'.length))));
    expect(plain.length).toBeGreaterThan(20);
    expect(plain.filter((name) => !isKnown(name))).toEqual([]);
  });

  it('are described for those who operate it', () => {
    const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    const described = (name: string) => text.includes(name) || /^temporal_(?:request|workflow_task_schedule)/.test(name);
    expect(plain.filter((name) => !described(name))).toEqual([]);
  });
});

describe('the alert rules', () => {
  it('have a name, a severity, a summary and a place in the docs that says what to do', () => {
    const text = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
    for (const { alert, labels, annotations } of rules) {
      expect(alert).toMatch(/^Holdfast\w+$/);
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(annotations.summary.length).toBeGreaterThan(10);
      const [, section, row] = /^docs\/operations\.md, ([\w ]+)(?:, "([^"]+)")?/.exec(annotations.runbook) ?? [];
      expect({ alert, found: text.includes(`\n## ${section}\n`) }).toEqual({ alert, found: true });
      if (row !== undefined) expect(text).toContain(`\n### ${row}`);
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

describe('the dashboard', () => {
  it.each(dashboards.map((dashboard) => [dashboard.title, dashboard] as const))(
    '%s: panels have ids, titles and places of their own, and ask the data source that is chosen',
    (_title, { panels, templating, uid }) => {
      expect(uid).toMatch(/^[a-z-]{1,40}$/);
      expect(templating.list).toContainEqual(
        expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
      );
      const places = new Set<string>();
      for (const { type, title, description, gridPos, targets = [] } of panels) {
        expect(title).not.toBe('');
        expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
        for (let x = gridPos.x; x < gridPos.x + gridPos.w; x++)
          for (let y = gridPos.y; y < gridPos.y + gridPos.h; y++) {
            expect({ title, taken: places.has(`${x} ${y}`) }).toEqual({ title, taken: false });
            places.add(`${x} ${y}`);
          }
        if (type === 'row') continue;
        expect({ title, targets: targets.length > 0, described: description !== undefined }).toEqual({
          title,
          targets: true,
          described: true,
        });
        expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
        for (const { datasource } of targets) expect(datasource.uid).toBe('${datasource}');
      }
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    },
  );
});

const promtool = onPath('promtool', process.env);
const required = process.env.HOLDFAST_REQUIRE_PROMTOOL === '1';
if (promtool === null && !required) console.warn('Tests with promtool are skipped: apt-get install prometheus.');

(promtool === null && !required ? describe.skip : describe)('promtool', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-promtool-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]) => execFileSync('promtool', args, { encoding: 'utf8', stdio: 'pipe' });
  const file = (name: string, content: object) => {
    writeFileSync(join(folder, name), stringify(content));
    return join(folder, name);
  };

  it('reads the rules', () => {
    for (const name of ruleFiles) expect(run('check', 'rules', join(RULES, name))).toContain('SUCCESS');
  });

  it("reads the dashboard's expressions", () => {
    const asRules = expressions.map((expr, index) => ({
      record: `panel:${index}`,
      expr: expr.replaceAll('$__rate_interval', '5m'),
    }));
    expect(run('check', 'rules', file('panels.yml', { groups: [{ name: 'panels', rules: asRules }] }))).toContain(
      `SUCCESS: ${expressions.length} rules`,
    );
  });

  type Series = Record<string, string>;
  /** What a Prometheus has that watches two gateways and a worker with which nothing is wrong. */
  const WELL: Series = {
    'holdfast_turns{state="running",instance="g1"}': '3x500',
    'holdfast_turns{state="in_doubt",instance="g1"}': '0x500',
    'holdfast_turn_idle_seconds{state="awaiting_approval",instance="g1"}': '3600x500',
    'holdfast_turn_idle_seconds{state="running",instance="g1"}': '20x500',
    'holdfast_task_queue_backlog_age_seconds{type="workflow",instance="g1"}': '0x500',
    'holdfast_turns_stuck{instance="g1"}': '0x500',
    'holdfast_turns_stuck{instance="g2"}': '0x500',
    'holdfast_freezes{scope="tool",instance="g1"}': '0x500',
    'holdfast_ready{check="worker",instance="w1"}': '1x500',
    'holdfast_ready{check="store",instance="w1"}': '1x500',
    'holdfast_decisions_total{decision="approve",instance="w1"}': '0+1x500',
    'holdfast_decisions_total{decision="expired",instance="w1"}': '0x500',
    'holdfast_turns_ended_total{state="completed",instance="w1"}': '0+1x500',
    'holdfast_turns_ended_total{state="failed",instance="w1"}': '0x500',
    'holdfast_model_cost_microdollars_total{model="opus",instance="w1"}': '0+100000x500',
  };
  const CASES: { what: string; series?: Series; without?: RegExp; at: Record<string, string[]> }[] = [
    { what: 'nothing is wrong', at: { '6h': [] } },
    {
      what: 'nobody decides, and two gateways say so',
      series: {
        'holdfast_turn_idle_seconds{state="awaiting_approval",instance="g1"}': '0+60x500',
        'holdfast_turn_idle_seconds{state="awaiting_approval",instance="g2"}': '0+60x500',
      },
      at: { '240m': [], '300m': ['HoldfastDecisionLate'] },
    },
    {
      what: 'questions expire',
      series: { 'holdfast_decisions_total{decision="expired",instance="w1"}': '0+0.1x500' },
      at: { '6h': ['HoldfastDecisionsExpire'] },
    },
    {
      what: 'two of a few questions expire, the first ones of their worker',
      series: {
        'holdfast_decisions_total{decision="approve",instance="w1"}': '0x30 5x470',
        'holdfast_decisions_total{decision="expired",instance="w1"}': '0x60 1x60 2x380',
      },
      at: { '100m': [], '4h': ['HoldfastDecisionsExpire'] },
    },
    {
      what: 'a call is in doubt',
      series: { 'holdfast_turns{state="in_doubt",instance="g1"}': '0 0 1x500' },
      at: { '1m': [], '5m': ['HoldfastInDoubt'] },
    },
    {
      what: 'turns are stuck',
      series: { 'holdfast_turns_stuck{instance="g1"}': '0 0 2x500' },
      at: { '5m': [], '10m': ['HoldfastTurnsStuck'] },
    },
    {
      what: 'everything is frozen, and turns stand still',
      series: {
        'holdfast_turns_stuck{instance="g1"}': '2x500',
        'holdfast_freezes{scope="all",instance="g1"}': '1x500',
      },
      at: { '10m': ['HoldfastFrozen'] },
    },
    {
      what: 'one tool is frozen, and turns stand still',
      series: {
        'holdfast_turns_stuck{instance="g1"}': '2x500',
        'holdfast_freezes{scope="tool",instance="g1"}': '1x500',
      },
      at: { '10m': ['HoldfastFrozen', 'HoldfastTurnsStuck'] },
    },
    {
      what: 'turns fail',
      series: { 'holdfast_turns_ended_total{state="failed",instance="w1"}': '0+1x500' },
      at: { '90m': ['HoldfastTurnsFail'] },
    },
    {
      what: 'requests to models cost a dollar a minute',
      series: { 'holdfast_model_cost_microdollars_total{model="opus",instance="w1"}': '0+1000000x500' },
      at: { '90m': ['HoldfastCostHigh'] },
    },
    {
      what: 'workflow tasks fail',
      series: { 'temporal_workflow_task_execution_failed{failure_reason="NonDeterminismError",instance="w1"}': '0+1x500' },
      at: { '20m': ['HoldfastWorkflowTasksFail'] },
    },
    {
      what: 'workers cannot keep up',
      series: {
        'temporal_activity_schedule_to_start_latency_bucket{le="5000",instance="w1"}': '0x500',
        'temporal_activity_schedule_to_start_latency_bucket{le="10000",instance="w1"}': '0+10x500',
        'temporal_activity_schedule_to_start_latency_bucket{le="+Inf",instance="w1"}': '0+10x500',
      },
      at: { '20m': ['HoldfastWorkersBusy'] },
    },
    {
      what: 'tasks wait in the queue, and two gateways say so',
      series: {
        'holdfast_task_queue_backlog_age_seconds{type="workflow",instance="g1"}': '0+15x500',
        'holdfast_task_queue_backlog_age_seconds{type="workflow",instance="g2"}': '0+15x500',
      },
      at: { '4m': [], '12m': ['HoldfastWorkersBehind'] },
    },
    {
      what: 'one of two workers cannot write the store',
      series: {
        'holdfast_ready{check="store",instance="w1"}': '1 0x500',
        'holdfast_ready{check="store",instance="w2"}': '1x500',
      },
      at: { '1m': [], '5m': ['HoldfastWorkerNotReady'] },
    },
    { what: 'no worker runs', without: /^holdfast_ready/, at: { '1m': [], '5m': ['HoldfastNoWorker'] } },
    { what: 'no gateway is scraped', without: /instance="g/, at: { '3m': [], '8m': ['HoldfastNoFigures'] } },
  ];

  it.each(CASES.map((one) => [one.what, one] as const))('says which alerts fire: %s', (what, { series = {}, without, at }) => {
    const entries = Object.entries({ ...WELL, ...series }).filter(([name]) => without?.test(name) !== true);
    const tests = {
      rule_files: ruleFiles.map((name) => join(RULES, name)),
      evaluation_interval: '1m',
      tests: [
        {
          name: what,
          interval: '1m',
          input_series: entries.map(([name, values]) => ({ series: name, values })),
          promql_expr_test: Object.entries(at).map(([eval_time, alerts]) => ({
            expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
            eval_time,
            exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
          })),
        },
      ],
    };
    expect(run('test', 'rules', file('test.yml', tests))).toContain('SUCCESS');
  });

  it('has a case for each alert on turns and processes', () => {
    const fired = new Set(CASES.flatMap(({ at }) => Object.values(at).flat()));
    const ofTools = /^HoldfastTool/; // their thresholds: tool-metrics.test.ts
    expect(rules.map(({ alert }) => alert).filter((alert) => !ofTools.test(alert) && !fired.has(alert))).toEqual([]);
  });
});
