/** The activities, bound to what the worker gives them. */
import type { Activities } from '../shared/activity-io';
import { admitCall } from './admit-call';
import type { Dependencies } from './dependencies';
import { inspectEffect, settleEffect } from './effects';
import { endTurn } from './end-turn';
import { runCall } from './run-call';
import { takeStep } from './take-step';

export function createActivities(deps: Dependencies): Activities {
  return {
    takeStep: (input) => takeStep(deps, input),
    admitCall: (input) => admitCall(deps, input),
    runCall: (input) => runCall(deps, input),
    inspectEffect: (input) => inspectEffect(deps, input),
    settleEffect: (input) => settleEffect(deps, input),
    endTurn: (input) => endTurn(deps, input),
  };
}
