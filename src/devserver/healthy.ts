import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../workflows/contract';

/**
 * Waits until a server can run a turn: it answers, has the namespace, and knows our search attributes.
 * @param stillThere false ends the waiting at once
 * @throws Error that names what was missing last
 */
export async function waitUntilHealthy(
  address: string,
  namespace: string,
  timeoutMs: number,
  stillThere: () => boolean,
): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  for (let missing: string | null = 'no answer'; missing !== null;) {
    missing = await whatIsMissing(address, namespace);
    if (missing === null) return;
    if (!stillThere()) throw new Error('the server ended');
    if (Date.now() > deadline) throw new Error(`the server was not ready after ${timeoutMs / 1000} s: ${missing}`);
    await sleep(50);
  }
}

async function whatIsMissing(address: string, namespace: string): Promise<string | null> {
  // A refused gRPC connection waits longer and longer before it tries again; a plain one says so at once.
  if (!(await answers(address))) return `nothing listens on ${address}`;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 2000 });
    const { operatorService, workflowService } = connection;
    return await connection.withDeadline(Date.now() + 2000, async () => {
      await workflowService.describeNamespace({ namespace });
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const lacking = Object.keys(SEARCH_ATTRIBUTES).filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
      return lacking.length > 0 ? `search attributes ${lacking.join(', ')}` : null;
    });
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await connection?.close();
  }
}

function answers(address: string): Promise<boolean> {
  const split = address.lastIndexOf(':');
  return new Promise((resolve) => {
    const socket = connect({ host: address.slice(0, split), port: Number(address.slice(split + 1)) });
    const say = (yes: boolean) => {
      socket.destroy();
      resolve(yes);
    };
    socket.once('connect', () => say(true));
    socket.once('error', () => say(false));
    socket.setTimeout(1000, () => say(false));
  });
}
