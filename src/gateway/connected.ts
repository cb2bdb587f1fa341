/** The client of a gateway: connected when it is first needed, and again after a failure; Temporal may start later than the gateway. */
import type { HoldfastClient } from '../client';

export class Connected {
  private client: Promise<HoldfastClient> | null = null;

  constructor(private readonly connect: () => Promise<HoldfastClient>) {}

  readonly get = (): Promise<HoldfastClient> => {
    if (this.client === null) {
      const client = (this.client = this.connect());
      client.catch(() => void (this.client = null));
    }
    return this.client;
  };

  async close(): Promise<void> {
    await (await this.client?.catch(() => null))?.close();
  }
}
