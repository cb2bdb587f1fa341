/** Follows the events of one turn: those of its history, and those that come live while the page is open. */
import { useEffect, useState } from 'preact/hooks';
import type { StreamedEvent } from '../../../../src/shapes/turn-event';
import { openStream } from '../api/events';
import { eventsOf } from '../api/turns';

export const DURABLE = [
  ...['turn_started', 'step_started', 'step_completed', 'tool_started', 'tool_result', 'tool_error', 'approval_requested'],
  ...[
    'approval_decided',
    'turn_reset',
    'turn_completed',
    'question_asked',
    'question_answered',
    'call_pending',
    'call_completed',
  ],
];
const LIVE = ['text_delta', 'tool_progress', 'tool_retrying', 'model_waiting'];

export interface FollowedTurn {
  /** Durable events, in order. */
  events: StreamedEvent[];
  /** What the model says now, of the step that has not ended. */
  text: string;
  /** What the step waits for before its model is asked; empty: nothing. */
  waits: string;
  /** The latest progress of each running call. */
  progress: ReadonlyMap<string, string>;
  connection: 'opening' | 'live' | 'interrupted' | 'ended';
}

const NOTHING: FollowedTurn = { events: [], text: '', waits: '', progress: new Map(), connection: 'opening' };

/** @param onChange called when something durable has happened */
export function useTurnEvents(turn: string, onChange: () => void): FollowedTurn {
  const [state, setState] = useState<FollowedTurn>(NOTHING);
  useEffect(() => {
    setState(NOTHING);
    const stream = openStream(eventsOf(turn), [...DURABLE, ...LIVE], {
      connected: (open) => setState((before) => ({ ...before, connection: open ? 'live' : withoutStream(before) })),
      ended: () => setState((before) => ({ ...before, connection: 'ended' })),
      event: (_type, data) => {
        const event = data as StreamedEvent;
        setState((before) => after(before, event));
        if (event.durable) onChange();
      },
    });
    return () => stream.close();
  }, [turn]);
  return state;
}

/** The gateway closes the stream of a turn that has ended. */
function withoutStream({ events }: FollowedTurn): FollowedTurn['connection'] {
  return events.at(-1)?.type === 'turn_completed' ? 'ended' : 'interrupted';
}

function after(state: FollowedTurn, event: StreamedEvent): FollowedTurn {
  switch (event.type) {
    case 'text_delta':
      // A piece that was lost leaves a gap: what follows is shown without it until the step ends.
      return { ...state, waits: '', text: event.offset === 0 ? event.text : `${state.text.slice(0, event.offset)}${event.text}` };
    case 'model_waiting':
      return { ...state, waits: event.text };
    case 'tool_progress':
      return { ...state, progress: new Map(state.progress).set(event.call, event.message) };
    case 'tool_retrying':
      return { ...state, progress: new Map(state.progress).set(event.call, `attempt ${event.attempt}: ${event.error}`) };
    default: {
      const { seq } = event;
      // After an interruption the browser may be told an event again.
      if (seq !== undefined && state.events.some((one) => one.seq === seq)) return state;
      const isStep = event.type === 'step_completed' || event.type === 'turn_completed';
      const endedCall = 'call' in event && (event.type === 'tool_result' || event.type === 'tool_error') ? event.call : null;
      const progress = new Map(state.progress);
      if (endedCall !== null) progress.delete(endedCall);
      return {
        ...state,
        events: [...state.events, event],
        text: isStep ? '' : state.text,
        waits: isStep ? '' : state.waits,
        progress,
      };
    }
  }
}
