/** Creates the Temporal activities from the worker's dependencies, with the checks and heartbeats around each. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities, TurnContext } from '../shared/io/activities';
import { UnexpectedPart } from '../record/parts';
import { StoreError } from '../store/store';
import { admitCall } from './admission/admit-call';
import { admitDirect } from './admission/admit-direct';
import { closeQuestion, deliverCallback, notify } from './people/questions';
import { beginFiring, endFiring } from '../schedules/firings';
import { checkAnswer, checkDecision, checkSteer, keepSaid, readCard, readSaid } from './people/check-decisions';
import { closeSubTurn, forwardDecision, lookAtSubTurn } from './sub-agents/close-sub-turn';
import { compact } from './step/compact';
import type { Dependencies } from './ports';
import { inspectEffect, settleEffect } from './effects/settle-effect';
import { beginSession, checkFork, endTurn } from './step/turn-start-and-end';
import { checkOwnTurn, checkStore, hasStoreOf, wantsSignatures } from './checks/own-turn';
import { openSubTurn } from './sub-agents/open-sub-turn';
import { showing, waitsBefore, withAttempts, withHeartbeat } from './call/heartbeat';
import { reconcileEffect } from './effects/reconcile-effect';
import { completeCall } from './call/later';
import { runCall } from './call/run-call';
import { waitForUnfreeze } from './checks/stop-switch';
import { takeStep } from './step/take-step';

/** Most attempts of a step, not counting waits for the limits of its model. */
const STEP_ATTEMPTS = 30;
/** A turn can do without a summary. */
const COMPACT_ATTEMPTS = 6;

/** Activities with a heartbeat timeout send heartbeats throughout, so that a slow store or machine does not look dead. */
export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: overOwnStore(deps, (input) =>
      withHeartbeat(() => withAttempts(STEP_ATTEMPTS, () => orStoreFault(takeStep(deps, input)))),
    ),
    admitDirect: over(deps, (input) => withHeartbeat(() => orStoreFault(admitDirect(deps, input)))),
    admitCall: own(deps, (input) => withHeartbeat(() => orStoreFault(admitCall(deps, input)))),
    checkDecision: own(deps, (input) => withHeartbeat(() => checkDecision(deps, input))),
    checkAnswer: own(deps, (input) => withHeartbeat(() => checkAnswer(deps, input))),
    closeQuestion: own(deps, (input) => withHeartbeat(() => closeQuestion(deps.store, input.digest))),
    waitForUnfreeze: over(deps, (input) => withHeartbeat(() => orStoreFault(waitForUnfreeze(deps, input)))),
    checkSteer: over(deps, (input) => withHeartbeat(() => checkSteer(deps, input))),
    notify: over(deps, (input) => orStoreFault(notify(deps, input))),
    readCard: own(deps, (input) => withHeartbeat(() => orStoreFault(readCard(deps, input)))),
    keepSaid: over(deps, (input) => withHeartbeat(() => orStoreFault(keepSaid(deps, input)))),
    readSaid: own(deps, (input) => withHeartbeat(() => orStoreFault(readSaid(deps, input)))),
    openSubTurn: own(deps, (input) => withHeartbeat(() => orStoreFault(openSubTurn(deps, input)))),
    lookAtSubTurn: (input) => withHeartbeat(() => lookAtSubTurn(deps, input)),
    closeSubTurn: over(deps, (input) => withHeartbeat(() => orStoreFault(closeSubTurn(deps, input)))),
    forwardDecision: (input) => forwardDecision(deps, input),
    compact: over(deps, (input) => withHeartbeat(() => withAttempts(COMPACT_ATTEMPTS, () => orStoreFault(compact(deps, input))))),
    lookAtTurn: (input) => deps.turnEnds.look(input),
    beginSession: (input) => beginSession(deps, input),
    checkFork: (input) => checkFork(deps, input),
    beginFiring: (input) => beginFiring(deps, input, wantsSignatures),
    endFiring: (input) => endFiring(deps, input),
    deliverCallback: (input) => orStoreFault(deliverCallback(deps, input)),
    endTurn: own(deps, (input) => withHeartbeat(() => orStoreFault(endTurn(deps, input)))),
    // These are retried on store faults: the outcome of an effect must become known, however long the repair of the store takes.
    runCall: own(deps, (input) => withHeartbeat(() => runCall(deps, input))),
    inspectEffect: own(deps, (input) => withHeartbeat(() => inspectEffect(deps, input))),
    reconcileEffect: own(deps, (input) => withHeartbeat(() => reconcileEffect(deps, input))),
    completeCall: own(deps, (input) => withHeartbeat(() => completeCall(deps, input))),
    settleEffect: own(deps, (input) => withHeartbeat(() => settleEffect(deps, input))),
  };
}

/** Runs only with the store that the turn is bound to: another one lacks its decisions and effects. */
function over<I extends { turn: TurnContext }, O>(
  { store }: Dependencies,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return async (input) => {
    checkStore(store, input.turn);
    return run(input);
  };
}

/** The same for a step. An attempt on a worker with another store uses up none of its own. */
function overOwnStore<I extends { turn: TurnContext }, O>(
  deps: Dependencies,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  const work = over(deps, run);
  return async (input) => {
    if (!hasStoreOf(deps.store, input.turn)) showing()({ waits: waitsBefore() + 1 });
    return work(input);
  };
}

/** Also runs only for the turn's own workflow: no other workflow may use the decisions about its calls. */
function own<I extends { turn: TurnContext }, O>(deps: Dependencies, run: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return over(deps, async (input) => {
    await checkOwnTurn(deps, input.turn);
    return run(input);
  });
}

/** A retry does not repair a damaged or missing block: the turn fails, and the error names the block. */
async function orStoreFault<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError) throw ApplicationFailure.nonRetryable(error.message, `holdfast.store.${error.code}`);
    if (error instanceof UnexpectedPart) throw ApplicationFailure.nonRetryable(error.message, 'holdfast.store.unexpected_part');
    throw error;
  }
}
