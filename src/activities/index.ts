/** The activities, bound to what the worker gives them. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Activities } from '../shared/activity-io';
import { StoreError } from '../store/store';
import { admitCall } from './admit-call';
import type { Dependencies } from './dependencies';
import { inspectEffect, settleEffect } from './effects';
import { endTurn } from './end-turn';
import { runCall } from './run-call';
import { takeStep } from './take-step';

export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: (input) => orStoreFault(takeStep(deps, input)),
    admitCall: (input) => orStoreFault(admitCall(deps, input)),
    endTurn: (input) => orStoreFault(endTurn(deps, input)),
    // These go on trying: what became of an effect has to be known, however long the store takes to be mended.
    runCall: (input) => runCall(deps, input),
    inspectEffect: (input) => inspectEffect(deps, input),
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
