/** The activities, bound to what the worker gives them. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities, TurnContext } from '../shared/activity-io';
import { UnexpectedPart } from '../record/parts';
import { StoreError } from '../store/store';
import { admitCall } from './admit-call';
import { admitDirect } from './admit-direct';
import { closeQuestion } from './asked';
import { beginSession } from './begin-session';
import { checkDecision } from './check-decision';
import { checkFork } from './check-fork';
import { checkSteer } from './check-steer';
import { closeSubTurn } from './close-sub-turn';
import { compact } from './compact';
import { deliverCallback } from './deliver-callback';
import type { Dependencies } from './dependencies';
import { inspectEffect, settleEffect } from './effects';
import { endTurn } from './end-turn';
import { keepSaid, readSaid } from './kept-said';
import { forwardDecision, lookAtSubTurn } from './look-at-sub-turn';
import { notify } from './notify';
import { checkStore } from './own-store';
import { checkOwnTurn } from './own-workflow';
import { openSubTurn } from './open-sub-turn';
import { withPulse } from './pulse';
import { readCard } from './read-card';
import { reconcileEffect } from './reconcile-effect';
import { runCall } from './run-call';
import { takeStep } from './take-step';

/** Those with a heartbeat timeout are under a heartbeat as a whole: a store or a machine that is slow is no dead worker. */
export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: over(deps, (input) => withPulse(() => orStoreFault(takeStep(deps, input)))),
    admitDirect: over(deps, (input) => withPulse(() => orStoreFault(admitDirect(deps, input)))),
    admitCall: own(deps, (input) => withPulse(() => orStoreFault(admitCall(deps, input)))),
    checkDecision: own(deps, (input) => withPulse(() => checkDecision(deps, input))),
    closeQuestion: own(deps, (input) => withPulse(() => closeQuestion(deps.store, input.digest))),
    checkSteer: over(deps, (input) => withPulse(() => checkSteer(deps, input))),
    notify: over(deps, (input) => orStoreFault(notify(deps, input))),
    readCard: over(deps, (input) => withPulse(() => orStoreFault(readCard(deps, input)))),
    keepSaid: over(deps, (input) => withPulse(() => orStoreFault(keepSaid(deps, input)))),
    readSaid: over(deps, (input) => withPulse(() => orStoreFault(readSaid(deps, input)))),
    openSubTurn: own(deps, (input) => withPulse(() => orStoreFault(openSubTurn(deps, input)))),
    lookAtSubTurn: (input) => withPulse(() => lookAtSubTurn(deps, input)),
    closeSubTurn: over(deps, (input) => withPulse(() => orStoreFault(closeSubTurn(deps, input)))),
    forwardDecision: (input) => forwardDecision(deps, input),
    compact: over(deps, (input) => withPulse(() => orStoreFault(compact(deps, input)))),
    lookAtTurn: (input) => deps.turnEnds.look(input),
    beginSession: (input) => beginSession(deps, input),
    checkFork: (input) => checkFork(deps, input),
    deliverCallback: (input) => orStoreFault(deliverCallback(deps, input)),
    endTurn: own(deps, (input) => withPulse(() => orStoreFault(endTurn(deps, input)))),
    // These go on trying: what became of an effect has to be known, however long the store takes to be mended.
    runCall: own(deps, (input) => withPulse(() => runCall(deps, input))),
    inspectEffect: own(deps, (input) => withPulse(() => inspectEffect(deps, input))),
    reconcileEffect: own(deps, (input) => withPulse(() => reconcileEffect(deps, input))),
    settleEffect: own(deps, (input) => withPulse(() => settleEffect(deps, input))),
  };
}

/** Only over the store that the turn is bound to: another one knows nothing of what was decided and done. */
function over<I extends { turn: TurnContext }, O>(
  { store }: Dependencies,
  run: (input: I) => Promise<O>,
): (input: I) => Promise<O> {
  return async (input) => {
    checkStore(store, input.turn);
    return run(input);
  };
}

/** And only for the turn's own workflow: what people have said of its calls is nobody else's to use. */
function own<I extends { turn: TurnContext }, O>(deps: Dependencies, run: (input: I) => Promise<O>): (input: I) => Promise<O> {
  return over(deps, async (input) => {
    await checkOwnTurn(deps, input.turn);
    return run(input);
  });
}

/** A damaged or missing block does not heal by trying again: the turn fails, naming the block. */
async function orStoreFault<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError) throw ApplicationFailure.nonRetryable(error.message, `holdfast.store.${error.code}`);
    if (error instanceof UnexpectedPart) throw ApplicationFailure.nonRetryable(error.message, 'holdfast.store.unexpected_part');
    throw error;
  }
}
