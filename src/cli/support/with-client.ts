/** Runs a command's work with a connected client. */
import type { HoldfastClient } from '../../client/holdfast-client';

/** Connects by the settings, runs, and closes. */
export async function withClient<R>(work: (client: HoldfastClient) => Promise<R>): Promise<R> {
  const { HoldfastClient } = await import('../../client/holdfast-client.js'); // Temporal's client is not loaded for --help
  const client = await HoldfastClient.connect();
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
