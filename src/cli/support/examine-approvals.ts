/** Checks of `doctor` about decisions: which ones count, and whether those of the gateways over this store do. */
import { announcedKeys } from '../../attestation/gateway-key';
import { isRevocation, notInForce, readTrustedKeys, type TrustEntry } from '../../attestation/trusted-keys';
import type { Config } from '../../config';
import { approvalsChannel } from '../../config/http';
import { readRegister } from '../../store/open-store';

/** @throws Error when no approver could decide */
export async function examineApprovals(config: Config): Promise<string> {
  const how = config.approvals === undefined ? 'not set, and the server is on loopback' : 'HOLDFAST_APPROVALS';
  if (approvalsChannel(config) === 'any') return `any: names are not proved (${how})`;
  const keys = inForce(await readTrustedKeys(config.trustedKeys));
  if (keys.length === 0)
    throw new Error(
      `attested, but ${config.trustedKeys} has no key in force: nobody can approve. \`holdfast keys create\` makes one.`,
    );
  return `attested: signed decisions only; ${keys.length} key${keys.length === 1 ? '' : 's'} in force in ${config.trustedKeys}`;
}

/** Null: a worker here accepts the signatures of the gateways over this store. An unreadable store is another finding. */
export async function examineGatewayKeys(config: Pick<Config, 'store' | 'codecKeys' | 'trustedKeys'>): Promise<string | null> {
  const kids = await announcedKeys((name) => readRegister(config, name)).catch(() => []);
  if (kids.length === 0) return null;
  // A key that is revoked here is in the file too: it is refused on purpose.
  const trustedKids = (await readTrustedKeys(config.trustedKeys).catch(() => [])).map(({ kid }) => kid);
  const missing = kids.filter((kid) => !trustedKids.includes(kid));
  if (missing.length === 0) return null;
  return `a worker here rejects decisions that a gateway signs with ${missing.join(', ')}: run \`holdfast keys export ${missing.join(' ')}\` on the gateway's host, and enter its output here with \`holdfast keys import\` (docs/deployment.md, "Several hosts")`;
}

/** An enroller's key counts: the passkeys that it enrolled decide. */
function inForce(keys: TrustEntry[]): TrustEntry[] {
  return keys.filter((key) => !isRevocation(key) && notInForce(key, Date.now()) === null);
}
