/**
 * Connections to Temporal, one pair a test file and server. Each connection of the SDK leaves an AsyncLocalStorage behind, which
 * Node then visits for every promise of the process: with one pair a test the last files of a run were much slower.
 */
import { NativeConnection } from '@temporalio/worker';
import { connectTemporal } from '../../../src/temporal/connect';
import type { TestConnections } from '../../../src/testing/agent/test-engine';

const open = new Map<string, Promise<TestConnections>>();

export function connectionsTo(address: string): Promise<TestConnections> {
  let connections = open.get(address);
  if (!connections) open.set(address, (connections = connect(address)));
  return connections;
}

/** When the tests of a file have ended. */
export async function closeConnections(): Promise<void> {
  const all = [...open.values()];
  open.clear();
  for (const connecting of all) {
    const { worker, client } = await connecting;
    await client.close();
    await worker.close();
  }
}

async function connect(address: string): Promise<TestConnections> {
  const [worker, client] = await Promise.all([
    NativeConnection.connect({ address }),
    connectTemporal({ address, namespace: 'default', connectionOptions: { address } }),
  ]);
  return { worker, client };
}
