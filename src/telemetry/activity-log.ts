/**
 * Logs what activities do, with an interceptor around each of them. It adds the turn's ids to every line that is logged inside,
 * also by tools, and to Temporal's own lines about the activity.
 */
import type { Next, ActivityInterceptorsFactory, ActivityInboundCallsInterceptor } from '@temporalio/worker';
import type { Context } from '@temporalio/activity';
import type { Activities, CallArguments, TurnContext } from '../shared/io/activities';
import { ACTIVITY_LINES, failedAttempt, logDecision, newDecisions, WORKER_SHUTDOWN } from './activity-lines';
import { Running } from './running';
import { withTurn, type TurnFields } from './log';
import type { ToolLogger } from '../tools/define/tool';
import { FREEZE_WAITS, MODEL_WAITS } from '../shared/turn/turn-states';
import { optional } from '../shared/json/optional';

type Execute = NonNullable<ActivityInboundCallsInterceptor['execute']>;
type ActivityName = keyof Activities;

/** For `Worker.create({ interceptors: { activity: […] } })`. */
export function activityLog(log: ToolLogger, running: Running = new Running()): ActivityInterceptorsFactory {
  return (context) => {
    let fields: TurnFields | undefined;
    const execute: Execute = (input, next) => {
      const [request] = input.args as [Request];
      fields = turnFieldsOf(request);
      return withTurn(fields, () => logAttempt(new AttemptLogger(log, context, fields!, request), running, () => next(input)));
    };
    return { inbound: { execute }, outbound: { getLogAttributes: (attributes) => ({ ...attributes, ...fields }) } };
  };
}

/** The input of all our activities; those that work for a session have no turn yet. */
interface Request {
  turn?: TurnContext;
  turn_id?: string;
  session_id?: string;
  call?: Pick<CallArguments, 'id' | 'tool'>;
}

function turnFieldsOf({ turn, session_id, turn_id, call }: Request): TurnFields {
  if (!turn) return optional({ turn_id, session_id });
  return { trace_id: turn.trace_id, turn_id: turn.turn_id, ...(call ? { call_id: call.id, tool: call.tool } : {}) };
}

async function logAttempt(
  teller: AttemptLogger,
  running: Running,
  work: () => ReturnType<Next<ActivityInboundCallsInterceptor, 'execute'>>,
) {
  const count = running.begin(teller.work);
  teller.began();
  let how: 'ended' | 'stopped' = 'ended';
  try {
    const output = await work();
    teller.logSuccess(output);
    return output;
  } catch (error) {
    how = teller.logFailure(error);
    throw error;
  } finally {
    count(how);
  }
}

/** Logs one attempt. A line that cannot be written must not fail the call: nothing here throws. */
class AttemptLogger {
  private readonly log: ToolLogger;
  private readonly start = performance.now();

  constructor(
    log: ToolLogger,
    private readonly context: Context,
    private readonly fields: TurnFields,
    private readonly request: Request,
  ) {
    this.log = withFields(log, fields);
  }

  get work() {
    return { activity: this.context.info.activityType, ...this.fields };
  }

  began(): void {
    const { activityType: activity, attempt } = this.context.info;
    this.safely(() => {
      this.log.debug({ activity, attempt }, 'activity began');
      if (attempt === 1) for (const decision of newDecisions(activity, this.request)) logDecision(this.log, decision);
    });
  }

  logSuccess(output: unknown): void {
    this.safely(() => this.lines?.ended(this.log, this.request as never, output as never));
  }

  logFailure(error: unknown): 'ended' | 'stopped' {
    const { info, cancellationSignal } = this.context;
    const attempt = failedAttempt(error, cancellationSignal.aborted);
    const took_ms = Math.round(performance.now() - this.start);
    const common = { activity: info.activityType, attempt: info.attempt, took_ms };
    const { kind, ...facts } = attempt;
    this.safely(() => {
      if (attempt.kind === 'retried' && attempt.code === MODEL_WAITS)
        this.log.debug({ ...common, ...facts }, 'waits for the limits of its model');
      else if (attempt.kind === 'retried' && attempt.code === FREEZE_WAITS)
        this.log[info.attempt === 1 ? 'warn' : 'debug']({ ...common, ...facts }, 'a call waits: it is frozen');
      else if (attempt.kind === 'retried') this.log.warn({ ...common, ...facts }, 'attempt failed, will be retried');
      else if (attempt.kind === 'stopped') this.log.info({ ...common, ...facts }, 'attempt stopped');
      else this.log.error({ ...common, ...facts, err: error }, 'attempt failed');
    });
    return kind === 'stopped' && attempt.cause === WORKER_SHUTDOWN ? 'stopped' : 'ended';
  }

  private get lines() {
    const { activityType } = this.context.info;
    return Object.hasOwn(ACTIVITY_LINES, activityType) ? ACTIVITY_LINES[activityType as ActivityName] : undefined;
  }

  private safely(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      this.log.error({ err: error }, 'a log line could not be written');
    }
  }
}

function withFields(log: ToolLogger, fields: object): ToolLogger {
  return {
    debug: (more, message) => log.debug({ ...fields, ...more }, message),
    info: (more, message) => log.info({ ...fields, ...more }, message),
    warn: (more, message) => log.warn({ ...fields, ...more }, message),
    error: (more, message) => log.error({ ...fields, ...more }, message),
  };
}
