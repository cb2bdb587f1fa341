/** Chooses which decisions count on the embedded server, if the settings do not say it. */
import type { Config } from '../../config';
import { secretAddress } from '../../telemetry/guarded-proxy';

/**
 * If the system has only one loopback address (macOS), a web page that points its own name at this machine can find the port of the
 * Web UI itself, and decide there under any name: then only signed decisions count.
 */
export async function withDevApprovals(
  config: Config,
  headless: boolean,
  say: (line: string) => void,
  look: typeof secretAddress = secretAddress,
): Promise<Config> {
  if (config.approvals !== undefined || headless || (await look()).secret) return config;
  say(
    'This system has one loopback address only, so a page in a browser could find the Web UI’s own port: only signed decisions count (HOLDFAST_APPROVALS=attested; docs/approvals.md).',
  );
  return { ...config, approvals: 'attested' };
}
