/** What each step of a turn took, from its events. */
import type { StreamedEvent } from '../../../../src/shapes/turn-event';
import type { TurnUsage } from '../../../../src/shapes/turn-view';

export interface StepCost {
  step: number;
  tools: string[];
  usage: TurnUsage;
}

/** A direct call asks no model, and has none. After a reset a step can be there twice: each was paid for. */
export function stepCosts(events: readonly StreamedEvent[]): StepCost[] {
  return events.flatMap((event) =>
    event.type === 'step_completed' && event.usage !== undefined
      ? [{ step: event.step, tools: event.calls.map(({ tool }) => tool), usage: event.usage }]
      : [],
  );
}
