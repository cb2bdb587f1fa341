import { HoldfastClient } from '../../client';
import { loadConfig } from '../../config';

/** Connects, runs, and closes; says what to do when nothing answers. */
export async function withClient<R>(work: (client: HoldfastClient) => Promise<R>): Promise<R> {
  const config = loadConfig();
  let client: HoldfastClient;
  try {
    client = await HoldfastClient.connect(config);
  } catch (error) {
    throw new Error(
      `No Temporal server answers at ${config.temporal.address} (${error instanceof Error ? error.message : String(error)}). ` +
        'Start the embedded stack with `npx holdfast dev`, or set TEMPORAL_ADDRESS.',
    );
  }
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
