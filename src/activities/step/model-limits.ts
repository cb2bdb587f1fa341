/**
 * Asks the models of a step within their limits. A step that waits says for what, by heartbeat and to those who watch. At the front
 * of the queue it stays in its slot; else it gives the slot back by failing, and Temporal runs it again when its turn is near. That
 * counts as no attempt (call/heartbeat.ts), and its place in the queue goes by the step, not by the attempt.
 */
import { ApplicationFailure } from '@temporalio/activity';
import type { ChainLink } from '../../model/fallback';
import { limitedModel, type ModelBusy } from '../../model/limits/limited-model';
import type { Wait } from '../../model/limits/place';
import type { TurnContext } from '../../shared/io/activities';
import { MODEL_WAITS, modelWaitText, type ModelWait } from '../../shared/turn/turn-states';
import { WORKER_SHUTDOWN } from '../../telemetry/activity-lines';
import { detailsBefore, showing, waitsBefore } from '../call/heartbeat';
import type { Dependencies } from '../ports';

/** Who asks. */
export interface ModelAsker {
  turn: TurnContext;
  /** What of the turn asks, such as `step 3`: the same in every attempt. */
  what: string;
  /** Null: no step of its own, so nobody is told. */
  step: number | null;
}

export interface LimitedChain {
  chain: ChainLink[];
  /** How long requests have waited in this attempt, ms: nobody has worked meanwhile. */
  waitedMs(): number;
  /** Says that the step waits for another attempt, since no model has answered. */
  showFailure(): void;
}

export function withinLimits(
  { modelGate: gate, modelMetrics, live }: Pick<Dependencies, 'modelGate' | 'modelMetrics' | 'live'>,
  chain: readonly ChainLink[],
  { turn, what, step }: ModelAsker,
): LimitedChain {
  const show = showing();
  let waited = 0;
  let lastText = '';
  let since = waitsSince();
  // An earlier attempt may have said so, and failed.
  let isShown = (detailsBefore().waits_for ?? null) !== null;
  const tell = (waits: ModelWait, text: string) => {
    show({ waits_for: { ...waits }, waits_since: since, step });
    const at = new Date().toISOString();
    if (step !== null) live.publish(turn.turn_id, { at, type: 'model_waiting', step, ...waits, text });
  };
  const onWait = (model: string, { why, before }: Wait) => {
    const waits: ModelWait = { model, why, before };
    const text = modelWaitText(waits);
    if (text === lastText) return;
    lastText = text;
    since ??= Date.now();
    tell(waits, text);
  };
  const showFailure = () => {
    const waits: ModelWait = { model: chain.at(-1)!.name, why: 'failure', before: 0 };
    since = null;
    tell(waits, modelWaitText(waits));
  };
  const limited = chain.map((link, index): ChainLink => {
    const provider = limitedModel(link.provider, {
      gate,
      name: link.name,
      limits: link.settings.limits ?? {},
      id: `${turn.first_execution_run_id} ${what}`,
      of: turn.session_id ?? turn.parent?.turn_id ?? turn.turn_id,
      mayPass: index < chain.length - 1,
      keepsPlace: isShutdown,
      onWait: (wait) => onWait(link.name, wait),
      onBegin: (ms) => {
        waited += ms;
        modelMetrics.began(link.name, since === null ? 0 : Date.now() - since);
        if (since !== null || isShown) show({ waits_for: null, waits_since: null });
        isShown = false;
        lastText = '';
        since = null;
      },
    });
    return { ...link, provider };
  });
  return { chain: limited, waitedMs: () => waited, showFailure };
}

/** Another worker takes the step on. A cancelled turn does not come back. */
function isShutdown(reason: unknown): boolean {
  return reason instanceof Error && reason.message === WORKER_SHUTDOWN;
}

/** When it began to wait, in an earlier attempt, ms since 1970; null: it does not wait. */
function waitsSince(): number | null {
  const { waits_since } = detailsBefore();
  return typeof waits_since === 'number' ? waits_since : null;
}

/** Gives the slot back until the turn of this request is near. */
export function asWaiting({ modelMetrics }: Pick<Dependencies, 'modelMetrics'>, { model, wait }: ModelBusy): ApplicationFailure {
  showing()({ waits: waitsBefore() + 1 });
  modelMetrics.waited(model);
  return ApplicationFailure.create({
    message: `It ${modelWaitText({ model, ...wait })}.`,
    type: MODEL_WAITS,
    nonRetryable: false,
    nextRetryDelay: wait.awayMs ?? 1000,
  });
}
