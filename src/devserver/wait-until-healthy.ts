/** Waits for a Temporal server to become ready. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection } from '@temporalio/client';
import { isListening } from '../temporal/address';
import { NAMESPACE_ATTRIBUTES } from '../shared/search-attributes';
import { errorMessage } from '../shared/text/error-message';

/**
 * Waits until a server can run a turn: it answers, has the namespace, and knows our search attributes.
 * @param stillThere returns false to end the waiting at once
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
  if (!(await isListening(address))) return `nothing listens on ${address}`;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ address, connectTimeout: 2000 });
    const { operatorService, workflowService } = connection;
    return await connection.withDeadline(Date.now() + 2000, async () => {
      await workflowService.describeNamespace({ namespace });
      const { customAttributes } = await operatorService.listSearchAttributes({ namespace });
      const lacking = [...NAMESPACE_ATTRIBUTES.keys()].filter((name) => !Object.hasOwn(customAttributes ?? {}, name));
      return lacking.length > 0 ? `search attributes ${lacking.join(', ')}` : null;
    });
  } catch (error) {
    return errorMessage(error);
  } finally {
    await connection?.close();
  }
}
