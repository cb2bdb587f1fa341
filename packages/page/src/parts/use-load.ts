/** Reads something from the gateway for a page, and runs what a person asks for. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { asApiError, type ApiError } from '../api/http';

export interface Load<T> {
  data: T | null;
  error: ApiError | null;
  reload(): void;
}

/** Reads again whenever `key` changes. What was read stays until the next answer, unless it is of another key. */
export function useLoad<T>(key: string, read: (signal: AbortSignal) => Promise<T>): Load<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: ApiError | null }>({ key, data: null, error: null });
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    const ending = new AbortController();
    read(ending.signal).then(
      (data) => !ending.signal.aborted && setState({ key, data, error: null }),
      (error: unknown) =>
        !ending.signal.aborted &&
        setState((before) => ({ key, data: before.key === key ? before.data : null, error: asApiError(error) })),
    );
    return () => ending.abort();
  }, [key, turn]);
  const own = state.key === key;
  return { data: own ? state.data : null, error: own ? state.error : null, reload: () => setTurn((count) => count + 1) };
}

export interface Action {
  busy: boolean;
  error: ApiError | null;
  /** @returns whether it succeeded */
  run(act: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

/** One request at a time: a second click does nothing while the first is under way. */
export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError | null>(null);
  const running = useRef(false);
  return {
    busy,
    error,
    clear: () => setError(null),
    run: async (act) => {
      if (running.current) return false;
      running.current = true;
      setBusy(true);
      setError(null);
      try {
        await act();
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
