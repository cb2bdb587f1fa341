/**
 * `holdfast keys passkeys` and `holdfast keys enroll`: lists the passkeys that people registered, and signs their enrolments. Both
 * ask the gateway, or without one read the store.
 */
import type { Command } from 'commander';
import { makeEnrolment } from '../attestation/enrolment';
import { fingerprintOf, passkeyId, passkeyKey } from '../attestation/passkey-key';
import { PasskeyRegister } from '../attestation/passkey-register';
import { SigningKey } from '../attestation/signing-key';
import { readTrustedKeys } from '../attestation/trusted-keys';
import { loadConfig, type Config } from '../config';
import { trustedHere, viewOf } from '../attestation/passkey-view';
import type { PasskeyView } from '../shapes/passkey';
import { several } from './support/decide-options';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import { askGateway } from './support/gateway-client';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';

interface Enrolling {
  key: string;
  role: string[];
  days?: number;
  print?: true;
}

export function passkeyCommands(keys: Command, output: () => Output): void {
  keys
    .command('passkeys')
    .description('The passkeys that people registered: those that wait for their enrolment, and those that decide.')
    .option('--waiting', 'only those that wait')
    .action(async ({ waiting }: { waiting?: true }) => {
      const all = (await passkeysOf(loadConfig()).all()).filter(({ state }) => !waiting || state === 'waiting');
      output().answer(all, all.length === 0 ? ['There is no such passkey.'] : all.flatMap(describe));
    });

  keys
    .command('enroll')
    .description(
      'Signs that a passkey is its person’s, so that workers that trust the key count its decisions. Compare the fingerprint with the person first.',
    )
    .argument('<id>', 'of the passkey: `holdfast keys passkeys` shows it')
    .requiredOption('--key <file>', 'the private key of an enroller (`keys create --enroller`)')
    .option('--role <name>', 'what the person may act as with it; may be given again', several, [])
    .option('--days <n>', 'for how many days it is good; default: as long as the enroller’s key', wholeNumber)
    .option('--print', 'prints the enrolment, and sends it nowhere')
    .action(async (id: string, { key: file, role: roles, days, print }: Enrolling) => {
      const config = loadConfig();
      const key = await SigningKey.read(file);
      await mustBeEnroller(config, key);
      const passkeys = passkeysOf(config);
      const passkey = (await passkeys.all()).find((one) => one.id === id);
      if (!passkey)
        throw new UsageError(`There is no passkey ${JSON.stringify(id.slice(0, 40))}; \`holdfast keys passkeys\` lists them.`);
      if (passkey.state === 'revoked') throw new UsageError(`Passkey ${id} was revoked; its person must register another one.`);
      mustHaveItsKey(passkey);
      const exp = days === undefined ? {} : { exp: Math.floor(Date.now() / 1000) + days * 24 * 3600 };
      const enrolment = makeEnrolment(passkey, { roles, kid: key.kid, ...exp });
      const text = key.token(enrolment);
      if (!print) await passkeys.enrol(id, text);
      output().answer(
        { id, principal: passkey.principal, roles, enrolled_by: key.kid, fingerprint: passkey.fingerprint, enrolment: text },
        [
          ...(print
            ? [text]
            : [`enrolled: passkey ${id} of ${oneLine(passkey.principal)}${roles.length > 0 ? `, as ${roles.join(', ')}` : ''}`]),
          `  fingerprint: ${passkey.fingerprint}`,
          `  for decisions at ${passkey.origins.map((origin) => oneLine(origin)).join(', ')}`,
          `  counts on workers whose trusted keys have the enroller ${key.kid}`,
        ],
      );
    });
}

/** The list comes from the gateway: what is signed must be the key whose fingerprint people have compared. */
function mustHaveItsKey({ id, fingerprint, public: jwk }: PasskeyView): void {
  if (passkeyKey(jwk) !== null && fingerprintOf(jwk) === fingerprint && passkeyId(jwk) === id) return;
  throw new UsageError(
    `Passkey ${id} was not enrolled: its fingerprint is not that of the key that the gateway gave. Look into the gateway.`,
  );
}

/** Another kind of key would make enrolments that no worker accepts. A key that is not in the file here may be in the workers'. */
async function mustBeEnroller({ trustedKeys }: Config, { kid }: SigningKey): Promise<void> {
  const entry = (await readTrustedKeys(trustedKeys).catch(() => [])).find((one) => one.kid === kid);
  if (entry !== undefined && entry.use !== 'enroller')
    throw new UsageError(`Key ${kid} is no enroller's: its use is ${entry.use}. \`holdfast keys create --enroller\` makes one.`);
}

interface Passkeys {
  all(): Promise<PasskeyView[]>;
  enrol(id: string, enrolment: string): Promise<void>;
}

function passkeysOf(config: Config): Passkeys {
  const { gateway } = config;
  if (gateway === null) return ofStore(config);
  return {
    all: async () => (await askGateway<{ passkeys: PasskeyView[] }>(gateway, 'GET', '/v1/passkeys/everyone')).passkeys,
    enrol: async (id, enrolment) => {
      await askGateway(gateway, 'POST', `/v1/passkeys/${encodeURIComponent(id)}/enrolment`, { enrolment });
    },
  };
}

function ofStore(config: Config): Passkeys {
  const register = async () => {
    const { openStoreOf } = await import('../store/open-store.js');
    return new PasskeyRegister(await openStoreOf(config));
  };
  return {
    all: async () => {
      const keys = await trustedHere(config);
      return (await (await register()).all()).map((one) => viewOf(one, keys));
    },
    enrol: async (id, enrolment) => {
      const passkeys = await register();
      const passkey = await passkeys.find(id);
      const fault =
        passkey === null ? 'there is no such passkey' : await passkeys.enrol(passkey, enrolment, await trustedHere(config));
      if (fault !== null) throw new UsageError(`Not enrolled: ${fault}.`);
    },
  };
}

function describe({ id, principal, state, roles, alg, registered_at, fingerprint, enrolled_by, rp_id }: PasskeyView): string[] {
  const by = enrolled_by === null ? '' : ` by ${enrolled_by}${roles.length > 0 ? ` as ${roles.join(', ')}` : ''}`;
  return [
    `${id}  ${oneLine(principal)}  ${state}${by}  ${alg}, for ${rp_id}, since ${registered_at.slice(0, 10)}`,
    `  fingerprint: ${fingerprint}`,
  ];
}
