/**
 * What happens in a turn right now and is written down nowhere: text as the model writes it, progress of tools, retries.
 * It travels beside the history, from the worker to whoever watches, and may be lost on the way: what lasts is in the history.
 */
export type LiveEvent = { at: string } &
  /**
   * `attempt` counts the step's model requests from 1: with the next one the text begins anew. `offset` is where this piece
   * begins in the attempt's text, in UTF-16 units: what is missing before it shows.
   */
  (
    | { type: 'text_delta'; step: number; attempt: number; offset: number; text: string }
    | { type: 'tool_progress'; call: string; message: string; fraction: number | null }
    /** Where the app lets clients read what its tools log. `text` is JSON, without secrets. */
    | { type: 'tool_log'; call: string; tool: string; level: 'debug' | 'info' | 'warning' | 'error'; text: string }
    /** `attempt` is the one that follows; `max_retries` is null where only the server knows. */
    | {
        type: 'tool_retrying';
        call: string;
        attempt: number;
        max_retries: number | null;
        code: string | null;
        error: string;
        next_attempt_at: string | null;
      }
  );

export type LiveListener = (event: LiveEvent) => void;

export interface LiveBus {
  /** Never throws and never waits: an activity must not feel it. What is too much is dropped. */
  publish(turnId: string, event: LiveEvent): void;
  /** Once what was published has been sent, as far as it can be; within a quarter of a second. Never throws. */
  sent(): Promise<void>;
  /** @returns ends it */
  subscribe(turnId: string, listener: LiveListener): () => void;
  close(): Promise<void>;
}

/** Nobody listens. */
export const NO_LIVE: LiveBus = {
  publish: () => undefined,
  sent: async () => undefined,
  subscribe: () => () => undefined,
  close: async () => undefined,
};
