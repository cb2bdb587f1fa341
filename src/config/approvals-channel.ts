/** What approvals take on a worker. Where others could reach the server, somebody must have said it. */
import { isLoopback } from '../temporal/address';
import { ConfigError } from './error';

export type Channel = 'any' | 'attested';

/**
 * @param address of the Temporal server, HOST:PORT
 * @throws ConfigError when nobody has said it and the server is not on loopback
 */
export function approvalsChannel({
  approvals,
  temporal: { address },
}: {
  approvals?: Channel;
  temporal: { address: string };
}): Channel {
  if (approvals !== undefined) return approvals;
  if (isLoopback(address)) return 'any';
  throw new ConfigError(
    `HOLDFAST_APPROVALS is not set, and Temporal at ${address} is not on loopback: whoever reaches that server can approve under any name. Set HOLDFAST_APPROVALS=attested, so that only signed decisions count, or HOLDFAST_APPROVALS=any if all who reach it may approve (docs/approvals.md).`,
  );
}
