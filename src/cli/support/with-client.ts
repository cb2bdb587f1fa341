import { HoldfastClient } from '../../client';

/** Connects by the settings, runs, and closes. */
export async function withClient<R>(work: (client: HoldfastClient) => Promise<R>): Promise<R> {
  const client = await HoldfastClient.connect();
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
