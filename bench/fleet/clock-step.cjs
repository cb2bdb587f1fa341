/**
 * Loaded before the code of a worker or gateway: SIGUSR2 steps its clock, five minutes ahead, back, five minutes behind, back.
 * Timers and the monotonic clock go on, as when a machine's clock is set.
 */
'use strict';
const STEPS = [0, 300_000, 0, -300_000];
let step = 0;
const realNow = Date.now;
Date.now = () => realNow() + STEPS[step];
globalThis.Date = new Proxy(Date, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [target.now()] : args, newTarget),
});
process.on('SIGUSR2', () => {
  step = (step + 1) % STEPS.length;
});
