/** Replays histories in separate processes, several at once, and yields a result for each. */
import { oneLine } from './one-line';
import type { ChildReady, ReplayResult, ReplayRequest } from './protocol';
import { ReplayProcess, ReplayProcessExit } from './replay-process';

export interface ReplayOptions {
  /** A `replay-bundle.js`, or a workflow bundle of which only Temporal's own check can be made. */
  code: string;
  /** Processes at once. Default 1. */
  processes?: number;
  /** How long one history may take, ms. Default two minutes. */
  patienceMs?: number;
  /** Called once, before the first result, with the isolation of the processes. */
  onReady?: (about: ChildReady) => void;
}

/** A history to replay, or one that is known not to be replayable (`cannot`): it is reported with the others. */
export type Replayable = ReplayRequest | (Pick<ReplayRequest, 'workflow_id' | 'run_id'> & { cannot: string });

/**
 * Yields results in the order in which they are ready. When the caller stops iterating, the processes are ended.
 * @throws ReplayProcessExit when no process can be started
 */
export async function* replayAll(
  histories: Iterable<Replayable> | AsyncIterable<Replayable>,
  { code, processes = 1, patienceMs, onReady }: ReplayOptions,
): AsyncGenerator<ReplayResult> {
  const source = Symbol.asyncIterator in histories ? histories[Symbol.asyncIterator]() : histories[Symbol.iterator]();
  const lanes: Lane[] = [];
  let over = false;
  const take = async (lane: Lane): Promise<{ lane: Lane; answer: ReplayResult | null }> => {
    const next = over ? null : await source.next();
    if (!next || next.done) {
      over = true;
      return { lane, answer: null };
    }
    return { lane, answer: 'cannot' in next.value ? cannot(next.value, next.value.cannot) : await lane.replay(next.value) };
  };
  try {
    let isReady = false;
    const begin = (about: ChildReady) => {
      if (!isReady) onReady?.(about);
      isReady = true;
    };
    const waiting = new Map<Lane, Promise<{ lane: Lane; answer: ReplayResult | null }>>();
    const wait = (lane: Lane) => {
      const result = take(lane);
      result.catch(() => undefined); // a caller that stops iterating does not wait for it
      waiting.set(lane, result);
    };
    for (let n = 0; n < processes; n++) {
      const lane = new Lane(code, begin, patienceMs);
      lanes.push(lane);
      wait(lane);
    }
    while (waiting.size > 0) {
      const { lane, answer } = await Promise.race(waiting.values());
      if (answer === null) {
        waiting.delete(lane);
        continue;
      }
      wait(lane);
      yield answer;
    }
  } finally {
    for (const lane of lanes) lane.stop();
    await source.return?.();
  }
}

/** Runs one process at a time: a new process replaces one that a history has ended. */
class Lane {
  private replayProcess: ReplayProcess | null = null;

  constructor(
    private readonly code: string,
    private readonly onReady: (about: ChildReady) => void,
    private readonly patienceMs: number | undefined,
  ) {}

  /** @throws ReplayProcessExit when no process can be started */
  async replay(request: ReplayRequest): Promise<ReplayResult> {
    if (!this.replayProcess) {
      const { replayProcess, about } = await ReplayProcess.start(this.code, this.patienceMs);
      this.replayProcess = replayProcess;
      this.onReady(about);
    }
    try {
      return await this.replayProcess.replay(request);
    } catch (error) {
      this.stop();
      if (!(error instanceof ReplayProcessExit)) throw error;
      return cannot(request, error.message);
    }
  }

  stop(): void {
    this.replayProcess?.stop();
    this.replayProcess = null;
  }
}

function cannot({ workflow_id, run_id }: Pick<ReplayRequest, 'workflow_id' | 'run_id'>, why: string): ReplayResult {
  const nothing = { workflow_type: '', events: 0, temporal: null, differences: [], harmless: {} };
  return { workflow_id, run_id: run_id ?? '', ...nothing, outcome: 'cannot', why: oneLine(why, 400) };
}
