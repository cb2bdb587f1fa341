/**
 * What one form sends. With the same content it is one operation: after an error it is sent again as it was, under the same key, so it
 * counts once even if only the answer was lost. After a success, or with another content, it is a new operation.
 */
import { ApiError, newKey } from '../api/http';

/** @param key the same for all attempts of one operation */
export type Act = (key: string) => Promise<unknown>;

export class Operation {
  private latest: { content: readonly unknown[]; send: () => Promise<unknown> } | null = null;

  /** @throws what `act` throws */
  async run(content: readonly unknown[], act: Act): Promise<void> {
    if (this.latest === null || !areSame(this.latest.content, content)) {
      const key = newKey();
      this.latest = { content, send: () => act(key) };
    }
    try {
      await this.latest.send();
      this.latest = null;
    } catch (error) {
      // The gateway has looked: none of the attempts was taken. A session may have another turn by the next one.
      if (error instanceof ApiError && error.reason === 'not_accepted') this.latest = null;
      throw error;
    }
  }
}

function areSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}
