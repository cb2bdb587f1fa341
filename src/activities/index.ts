/** The activities, bound to what the worker gives them. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../shared/activity-io';
import { StoreError } from '../store/store';
import { admitCall } from './admit-call';
import { admitDirect } from './admit-direct';
import { checkDecision } from './check-decision';
import { checkFork } from './check-fork';
import { checkSteer } from './check-steer';
import { closeSubTurn } from './close-sub-turn';
import { compact } from './compact';
import { deliverCallback } from './deliver-callback';
import type { Dependencies } from './dependencies';
import { inspectEffect, settleEffect } from './effects';
import { endTurn } from './end-turn';
import { forwardDecision, lookAtSubTurn } from './look-at-sub-turn';
import { notify } from './notify';
import { openSubTurn } from './open-sub-turn';
import { withPulse } from './pulse';
import { readCard } from './read-card';
import { reconcileEffect } from './reconcile-effect';
import { runCall } from './run-call';
import { takeStep } from './take-step';

/** Those with a heartbeat timeout are under a heartbeat as a whole: a store or a machine that is slow is no dead worker. */
export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: (input) => withPulse(() => orStoreFault(takeStep(deps, input))),
    admitDirect: (input) => withPulse(() => orStoreFault(admitDirect(deps, input))),
    admitCall: (input) => withPulse(() => orStoreFault(admitCall(deps, input))),
    checkDecision: (input) => withPulse(() => checkDecision(deps, input)),
    checkSteer: (input) => withPulse(() => checkSteer(deps, input)),
    notify: (input) => orStoreFault(notify(deps, input)),
    readCard: (input) => withPulse(() => orStoreFault(readCard(deps, input))),
    openSubTurn: (input) => withPulse(() => orStoreFault(openSubTurn(deps, input))),
    lookAtSubTurn: (input) => withPulse(() => lookAtSubTurn(deps, input)),
    closeSubTurn: (input) => withPulse(() => orStoreFault(closeSubTurn(deps, input))),
    forwardDecision: (input) => forwardDecision(deps, input),
    compact: (input) => withPulse(() => orStoreFault(compact(deps, input))),
    lookAtTurn: (input) => deps.turnEnds.look(input),
    checkFork: (input) => checkFork(deps, input),
    deliverCallback: (input) => orStoreFault(deliverCallback(deps, input)),
    endTurn: (input) => withPulse(() => orStoreFault(endTurn(deps, input))),
    // These go on trying: what became of an effect has to be known, however long the store takes to be mended.
    runCall: (input) => withPulse(() => runCall(deps, input)),
    inspectEffect: (input) => withPulse(() => inspectEffect(deps, input)),
    reconcileEffect: (input) => withPulse(() => reconcileEffect(deps, input)),
    settleEffect: (input) => withPulse(() => settleEffect(deps, input)),
  };
}

/** A damaged or missing block does not heal by trying again: the turn fails, naming the block. */
async function orStoreFault<R>(work: Promise<R>): Promise<R> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof StoreError) throw ApplicationFailure.nonRetryable(error.message, `holdfast.store.${error.code}`);
    throw error;
  }
}
