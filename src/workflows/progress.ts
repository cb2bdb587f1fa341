/** How far each call of the open step has come, kept for another run. */
import type { Progress, TurnData } from './state';

export function keepProgress(data: TurnData, id: string, progress: Progress): void {
  if (data.open) data.open.progress[id] = progress;
}
