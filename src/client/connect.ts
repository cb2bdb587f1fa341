/** The connection to Temporal. */
import { Connection } from '@temporalio/client';
import type { Config } from '../config';
import { isLoopback } from '../config/approvals-channel';
import { ServerUnreachable } from '../shared/server-unreachable';
import { answers } from '../telemetry/answers';

/** ms */
const WITHIN = 5000;

/** @throws ServerUnreachable when nothing answers: at once where nothing listens on this machine, else within 5 s */
export async function connectTemporal({ address, connectionOptions }: Config['temporal']): Promise<Connection> {
  // Elsewhere a proxy may stand between, which only gRPC knows.
  if (isLoopback(address) && !address.startsWith('unix:') && !(await answers(address)))
    throw new ServerUnreachable(address, new Error('nothing listens there'));
  try {
    return await Connection.connect({ ...connectionOptions, connectTimeout: WITHIN });
  } catch (error) {
    throw new ServerUnreachable(address, error);
  }
}
