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
import { readCard } from './read-card';
import { reconcileEffect } from './reconcile-effect';
import { runCall } from './run-call';
import { takeStep } from './take-step';

export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: (input) => orStoreFault(takeStep(deps, input)),
    admitDirect: (input) => orStoreFault(admitDirect(deps, input)),
    admitCall: (input) => orStoreFault(admitCall(deps, input)),
    checkDecision: (input) => checkDecision(deps, input),
    checkSteer: (input) => checkSteer(deps, input),
    notify: (input) => orStoreFault(notify(deps, input)),
    readCard: (input) => orStoreFault(readCard(deps, input)),
    openSubTurn: (input) => orStoreFault(openSubTurn(deps, input)),
    lookAtSubTurn: (input) => lookAtSubTurn(deps, input),
    closeSubTurn: (input) => orStoreFault(closeSubTurn(deps, input)),
    forwardDecision: (input) => forwardDecision(deps, input),
    compact: (input) => orStoreFault(compact(deps, input)),
    lookAtTurn: (input) => deps.turnEnds.look(input),
    checkFork: (input) => checkFork(deps, input),
    deliverCallback: (input) => orStoreFault(deliverCallback(deps, input)),
    endTurn: (input) => orStoreFault(endTurn(deps, input)),
    // These go on trying: what became of an effect has to be known, however long the store takes to be mended.
    runCall: (input) => runCall(deps, input),
    inspectEffect: (input) => inspectEffect(deps, input),
    reconcileEffect: (input) => reconcileEffect(deps, input),
    settleEffect: (input) => settleEffect(deps, input),
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
