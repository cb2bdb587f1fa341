/** Connects to Temporal. */
import { Connection } from '@temporalio/client';
import type { Config } from '../config';
import { ServerUnreachable } from '../shared/wire/errors';
import { isListening, isLoopback } from './address';

/** ms */
const WITHIN = 5000;

/** Bytes. A page of history may hold 200 large events, and gRPC's own limit is 4 MB; Temporal ends a run at 50 MB. */
const LARGEST_ANSWER = 128 * 1024 * 1024;

/** @throws ServerUnreachable if nothing answers: at once where nothing listens on this machine, else within 5 s */
export async function connectTemporal({ address, connectionOptions }: Config['temporal']): Promise<Connection> {
  // On other machines a proxy may be in between, which only gRPC knows.
  if (isLoopback(address) && !address.startsWith('unix:') && !(await isListening(address)))
    throw new ServerUnreachable(address, new Error('nothing listens there'));
  try {
    const channelArgs = { 'grpc.max_receive_message_length': LARGEST_ANSWER };
    return await Connection.connect({ ...connectionOptions, connectTimeout: WITHIN, channelArgs });
  } catch (error) {
    throw new ServerUnreachable(address, error);
  }
}
