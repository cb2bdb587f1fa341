/**
 * Conditions that workflow code waits for.
 *
 * History has nothing of an update that a validator refused, and a replay has no activation for it. In the first execution there is
 * one: it moves the clock, the length of history and `continueAsNewSuggested`, and the SDK evaluates every condition. A condition
 * that became true only by that would let the workflow act where a replay does not. So nothing is evaluated for such updates. What
 * became true stays so until something comes that history has.
 */
import { condition as sdkCondition } from '@temporalio/workflow';
import { getActivator } from './activator';

/** Workflows, by their activator as in signals.ts, to which nothing has come in this activation but updates that are not accepted. */
const withoutRecord = new WeakSet<object>();

/** What comes now is in history only if `noteRecord()` is called: for an accepted update, or for another job of the activation. */
export function expectRefusal(): void {
  withoutRecord.add(getActivator());
}

export function noteRecord(): void {
  withoutRecord.delete(getActivator());
}

/** The random seed in the previous activation. */
const seeds = new WeakMap<object, unknown>();

/** Call it in each activation. True in the first, and after a reset: the SDK takes the job that brings another seed out before. */
export function hasNewSeed(): boolean {
  const activator = getActivator();
  const before = seeds.get(activator);
  seeds.set(activator, activator.randomnessSeed);
  return before !== activator.randomnessSeed;
}

/** The SDK's `condition`. Workflow code must use no other (lint). @param timeout ms; the result is false after this time */
export function condition(fn: () => boolean): Promise<void>;
export function condition(fn: () => boolean, timeout: number): Promise<boolean>;
export function condition(fn: () => boolean, timeout?: number): Promise<void | boolean> {
  const evaluate = () => !withoutRecord.has(getActivator()) && fn();
  return timeout === undefined ? sdkCondition(evaluate) : sdkCondition(evaluate, timeout);
}
