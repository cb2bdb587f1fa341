/** Metrics of turns, counted where the log has a line of the same: decisions of people, calls in doubt, and ends of turns. */
import type { MetricMeter } from '@temporalio/common';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import { endOf, newDecisions, toolInDoubt } from './activity-lines';

export const ACTIVITY_METRICS = {
  decisions: {
    name: 'holdfast_decisions_total',
    help: 'Questions that ended: approve, deny, answer, or expired, since nobody decided in time',
  },
  inDoubt: { name: 'holdfast_calls_in_doubt_total', help: 'Calls that came into doubt, by tool, before their probe was asked' },
  ended: { name: 'holdfast_turns_ended_total', help: 'Turns that ended, by state' },
} as const;

/** For `Worker.create({ interceptors: { activity: […] } })`. */
export function activityMetrics(meter: MetricMeter): ActivityInterceptorsFactory {
  const { decisions, ended, inDoubt } = ACTIVITY_METRICS;
  const decisionCounter = meter.createCounter(decisions.name, '', decisions.help);
  const inDoubtCounter = meter.createCounter(inDoubt.name, '', inDoubt.help);
  const endCounter = meter.createCounter(ended.name, '', ended.help);
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
