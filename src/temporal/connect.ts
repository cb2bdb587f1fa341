/** Connects to Temporal. */
import { Connection, defaultGrpcRetryOptions, makeGrpcRetryInterceptor, type ConnectionOptions } from '@temporalio/client';
import type { Config } from '../config';
import { ServerUnreachable } from '../shared/wire/errors';
import { isListening, isLoopback } from './address';

/** ms */
const WITHIN = 5000;

type Interceptor = NonNullable<ConnectionOptions['interceptors']>[number];
type Call = ReturnType<Interceptor>;

/** CANCELLED, which the SDK does not try again. */
const CANCEL_STATUS = 1;

/**
 * gRPC throws where a call begins on a closed channel. The SDK tries a call again from a timer, where nobody could catch that: the
 * process would end, and the call would never be answered. So such a call fails instead.
 */
const channelGuard: Interceptor = (options, nextCall) => {
  try {
    return nextCall(options) as Call;
  } catch (error) {
    const details = (error as Error).message;
    const nothing = () => undefined;
    const start: Call['start'] = (metadata, listener) => listener?.onReceiveStatus?.({ code: CANCEL_STATUS, details, metadata });
    const failed = { start, sendMessage: nothing, sendMessageWithContext: nothing, startRead: nothing, halfClose: nothing };
    return { ...failed, cancelWithStatus: nothing, getPeer: () => 'none', getAuthContext: () => null } as unknown as Call;
  }
};

/** The last one is next to the channel, so it meets each try. */
const INTERCEPTORS = [makeGrpcRetryInterceptor(defaultGrpcRetryOptions()), channelGuard];

/** Bytes. A page of history may hold 200 large events, and gRPC's own limit is 4 MB; Temporal ends a run at 50 MB. */
const LARGEST_ANSWER = 128 * 1024 * 1024;

/** @throws ServerUnreachable if nothing answers: at once where nothing listens on this machine, else within 5 s */
export async function connectTemporal({ address, connectionOptions }: Config['temporal']): Promise<Connection> {
  // On other machines a proxy may be in between, which only gRPC knows.
  if (isLoopback(address) && !address.startsWith('unix:') && !(await isListening(address)))
    throw new ServerUnreachable(address, new Error('nothing listens there'));
  try {
    const channelArgs = { 'grpc.max_receive_message_length': LARGEST_ANSWER };
    return await Connection.connect({ ...connectionOptions, connectTimeout: WITHIN, channelArgs, interceptors: INTERCEPTORS });
  } catch (error) {
    throw new ServerUnreachable(address, error);
  }
}
