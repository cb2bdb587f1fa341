/** Who listens to which turn, within this process. */
import type { LiveEvent } from '../shapes/turn-event';
import type { LiveListener } from './bus';

export class Listeners {
  private readonly byTurn = new Map<string, Set<LiveListener>>();

  /** @returns whether it is the turn's first */
  add(turnId: string, listener: LiveListener): boolean {
    const known = this.byTurn.get(turnId);
    known?.add(listener);
    if (!known) this.byTurn.set(turnId, new Set([listener]));
    return !known;
  }

  /** @returns whether it was the turn's last */
  remove(turnId: string, listener: LiveListener): boolean {
    const known = this.byTurn.get(turnId);
    if (!known?.delete(listener) || known.size > 0) return false;
    return this.byTurn.delete(turnId);
  }

  deliver(turnId: string, event: LiveEvent): void {
    for (const listener of this.byTurn.get(turnId) ?? []) listener(event);
  }

  turns(): string[] {
    return [...this.byTurn.keys()];
  }
}
