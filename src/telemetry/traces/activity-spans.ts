/**
 * A span for each attempt of an activity of a turn, below the step or call that it is for. An attempt that a killed worker was making
 * has none: its spans were never ended. Attributes are codes, counts and ids, as in the log (activity-lines.ts).
 */
import type { ActivityInboundCallsInterceptor, ActivityInterceptorsFactory } from '@temporalio/worker';
import type { Span } from '@opentelemetry/api';
import { TRACE_HEADER } from '../../shared/io/turn';
import type { Activities, CallArguments, TurnContext } from '../../shared/io/activities';
import { optional } from '../../shared/json/optional';
import { CALL_WORKFLOW } from '../../workflows/contract';
import { codeOf, contentAttributes, fail } from './api';
import { callSpanId, stepSpanId, turnSpanId } from './trace-ids';
import type { Traces } from './traces';

/** It runs again and again while a sub-agent works. */
const POLL: keyof Activities = 'lookAtSubTurn';

type Execute = NonNullable<ActivityInboundCallsInterceptor['execute']>;

interface Request {
  turn?: TurnContext;
  step?: number;
  call?: Pick<CallArguments, 'id' | 'tool' | 'input'>;
}

interface Answer {
  state?: string;
  effect?: string | null;
  error?: { code: string } | null;
  next?: string;
  stop_reason?: string;
  calls?: unknown;
  usage?: { cost_usd: number };
  summary?: string | null;
}

/** For `Worker.create({ interceptors: { activity: […] } })`. Those of sessions and schedules belong to no trace. */
export function activitySpans(traces: Traces): ActivityInterceptorsFactory {
  return ({ info }) => {
    const execute: Execute = (input, next) => {
      const [request = {}] = input.args as [Request | undefined];
      const { turn } = request;
      if (turn === undefined || info.activityType === POLL) return next(input);
      const trace = traces.turnTrace(input.headers[TRACE_HEADER], turn.trace_id);
      const isDirect = info.workflowType === CALL_WORKFLOW;
      const attributes = { ...attributesOf(turn, request), 'holdfast.attempt': info.attempt };
      return traces.within(trace, parentOf(turn, request, isDirect), info.activityType, attributes, async (span) => {
        try {
          const answer = await next(input);
          record(span, answer as Answer | undefined);
          return answer;
        } catch (error) {
          fail(span, codeOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    };
    return { inbound: { execute } };
  };
}

function parentOf(turn: TurnContext, { step, call }: Request, isDirect: boolean): string {
  if (call !== undefined) return callSpanId({ ...turn, call_id: call.id });
  return step === undefined || isDirect ? turnSpanId(turn) : stepSpanId(turn, step);
}

function attributesOf({ turn_id, trace_id, agent }: TurnContext, { call }: Request) {
  const ofCall = call && {
    'holdfast.call': call.id,
    'gen_ai.tool.name': call.tool,
    ...contentAttributes(() => ({ 'gen_ai.tool.call.arguments': call.input })),
  };
  return { 'holdfast.turn_id': turn_id, 'holdfast.trace_id': trace_id, 'gen_ai.agent.name': agent, ...ofCall };
}

function record(span: Span, answer: Answer | undefined): void {
  if (typeof answer !== 'object' || answer === null) return;
  const { state, effect, error, next, stop_reason, calls, usage, summary } = answer;
  span.setAttributes(
    optional({
      'holdfast.state': state,
      'holdfast.effect': effect ?? undefined,
      'holdfast.next': next,
      'holdfast.stop_reason': stop_reason,
      'holdfast.calls': Array.isArray(calls) ? calls.length : undefined,
      'holdfast.cost_usd': usage?.cost_usd,
    }),
  );
  if (typeof summary === 'string') span.setAttributes(contentAttributes(() => ({ 'gen_ai.tool.call.result': summary })));
  if (typeof error?.code === 'string') fail(span, error.code);
}
