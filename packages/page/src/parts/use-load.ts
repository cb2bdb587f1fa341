/** Reads something from the gateway for a page, and runs what a person asks for. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asApiError, newKey, type ApiError } from '../api/http';
import { oneAtATime } from '../lib/one-at-a-time';
import { Operation, type Act } from '../state/operation';

export interface Load<T> {
  data: T | null;
  error: ApiError | null;
  reload(): void;
}

/**
 * Reads again whenever `key` changes. What was read stays until the next answer, unless it is of another key. A read is aborted only if
 * the key changes: a page that aborts a slow read in order to read again never gets an answer.
 */
export function useLoad<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null }>({ key, data: null, error: null });
  const readAgain = useRef(() => {});
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    readAgain.current = oneAtATime(async () => {
      if (signal.aborted) return;
      await read(signal).then(
        (data) => !signal.aborted && setState({ key, data, error: null }),
        (error: unknown) =>
          !signal.aborted &&
          setState((before) => ({ key, data: before.key === key ? before.data : null, error: asApiError(error) })),
      );
    });
    readAgain.current();
    return () => ending.abort();
  }, [key]);
  const own = state.key === key;
  return { data: own ? state.data : null, error: own ? state.error : null, reload: () => readAgain.current() };
}

export interface Action {
  busy: boolean;
  error: ApiError | null;
  /**
   * @param content of the form: with the same content, a second attempt sends what the first one sent. Absent: each run is a new operation
   * @returns whether it succeeded
   */
  run(act: Act, content?: readonly unknown[]): Promise<boolean>;
  clear(): void;
}

/** One request at a time: a second click does nothing while the first is under way. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef(false);
  const operation = useRef(new Operation());
  return {
    busy,
    error,
    clear: () => setError(null),
    run: async (act, content) => {
      if (running.current) return false;
      running.current = true;
      setBusy(true);
      setError(null);
      try {
        await (content === undefined ? act(newKey()) : operation.current.run(content, act));
        return true;
      } catch (wrong) {
        setError(asApiError(wrong));
        return false;
      } finally {
        running.current = false;
        setBusy(false);
      }
    },
  };
}
