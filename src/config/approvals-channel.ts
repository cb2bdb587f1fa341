/** What approvals take on a worker. Where others could reach the server, somebody must have said it. */
import { isIP, isIPv4 } from 'node:net';
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

/** Literally so: what a name resolves to can change. */
export function isLoopback(address: string): boolean {
  if (address.startsWith('unix:')) return true;
  const host = address
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[|\]$/g, '')
    .toLowerCase();
  if (isIP(host) === 0) return host === 'localhost';
  return isIPv4(host) ? host.startsWith('127.') : host === '::1';
}
