/**
 * Runs one at a time. However many calls come during a run, one more run follows it; calls of the same moment share a run.
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
