/** Metrics of turns, counted where the log has a line of the same: decisions of people, calls in doubt, and ends of turns. */
import type { MetricMeter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Decision } from '../shared/approval/approval';
import { isEnd, TURN_STATES } from '../shared/turn/turn-states';
import type { Tool } from '../tools/define/tool';
import { endOf, newDecisions, toolInDoubt } from './activity-lines';

export const ACTIVITY_METRICS = {
  decisions: {
    name: 'holdfast_decisions_total',
    help: 'Questions that ended: approve, deny, answer, or expired, since nobody decided in time',
  },
  inDoubt: { name: 'holdfast_calls_in_doubt_total', help: 'Calls that came into doubt, by tool, before their probe was asked' },
  ended: { name: 'holdfast_turns_ended_total', help: 'Turns that ended, by state' },
} as const;

const DECISIONS: Record<Decision['decision'], true> = { approve: true, deny: true, answer: true, expired: true };

/**
 * Begins the counters at 0, with the tools of these agents: Prometheus sees no increase in a series that begins above 0, and what
 * alerts are for may happen once in a worker's life.
 */
export function countFromZero(meter: MetricMeter, agents: readonly { versions: ReadonlyMap<string, Tool> }[]): void {
  const { decisionCounter, inDoubtCounter, endCounter } = countersOf(meter);
  const tools = agents.flatMap(({ versions }) => [...versions.values()]).filter((tool) => tool.class === 'destructive');
  for (const decision of Object.keys(DECISIONS)) decisionCounter.add(0, { decision });
  for (const tool of new Set(tools.map(({ name }) => name))) inDoubtCounter.add(0, { tool });
  for (const state of TURN_STATES.filter(isEnd)) endCounter.add(0, { state });
}

function countersOf(meter: MetricMeter) {
  const { decisions, ended, inDoubt } = ACTIVITY_METRICS;
  return {
    decisionCounter: meter.createCounter(decisions.name, '', decisions.help),
    inDoubtCounter: meter.createCounter(inDoubt.name, '', inDoubt.help),
    endCounter: meter.createCounter(ended.name, '', ended.help),
  };
}

/** For `Worker.create({ interceptors: { activity: […] } })`. */
export function activityMetrics(meter: MetricMeter): ActivityInterceptorsFactory {
  const { decisionCounter, inDoubtCounter, endCounter } = countersOf(meter);
  return ({ info: { activityType, attempt } }) => ({
    inbound: {
      async execute(input, next) {
        if (attempt === 1)
          for (const { decision } of newDecisions(activityType, input.args[0]))
            decisionCounter.add(1, { decision: decision.decision });
        const output = await next(input);
        const state = endOf(activityType, input.args[0], output);
        if (state !== null) endCounter.add(1, { state });
        const tool = toolInDoubt(activityType, input.args[0], output);
        if (tool !== null) inDoubtCounter.add(1, { tool });
        return output;
      },
    },
  });
}
