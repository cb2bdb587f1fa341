/**
 * Runs one at a time. Whoever asks while one runs gets one more run after it, however often that happens; those who ask in the same
 * moment share a run.
 * @param run never rejects
 */
export function oneAtATime(run: () => Promise<void>): () => void {
  let isRunning = false;
  let again = false;
  const runAll = async () => {
    isRunning = true;
    while (again) {
      await Promise.resolve();
      again = false;
      await run();
    }
    isRunning = false;
  };
  return () => {
    again = true;
    if (!isRunning) void runAll();
  };
}
