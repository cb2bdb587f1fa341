/** `holdfast keys …`: manages the keys that sign decisions and bundles, and makes tokens for the gateway. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { KID, principalName, roleList } from '../attestation/claims';
import { trustedEntry } from '../attestation/gateway-key';
import { SigningKey } from '../attestation/signing-key';
import {
  isRevocation,
  notInForce,
  parseTrustedKeys,
  readTrustedKeys,
  updateTrustedKeys,
  type TrustedKey,
  type TrustEntry,
} from '../attestation/trusted-keys';
import { defaultBundleKey, defaultSigningKey, loadConfig } from '../config';
import { oneLine } from './support/describe';
import { passkeyCommands } from './keys-passkeys';
import { rotateCommand } from './keys-rotate';
import { several } from './support/decide-options';
import { UsageError } from './support/exit';
import { newToken } from './support/new-token';
import { wholeNumber } from './support/numbers';
import type { Output } from './support/output';
import { readStdin } from './support/read-stdin';
import { optional } from '../shared/json/optional';

/** How `create` makes a key. */
interface Making {
  days?: number;
  out?: string;
  bundle?: true;
  enroller?: true;
}

interface Who {
  principal?: string;
  role?: string[];
}

const DAY_MS = 24 * 3_600_000;

export function keysCommands(keys: Command, output: () => Output): void {
  passkeyCommands(keys, output);
  rotateCommand(keys, output);

  keys
    .command('create')
    .description(
      'Makes a key and enters it among the trusted: for a gateway, with --principal for one person, with --bundle for audit bundles, with --enroller for the enrolment of passkeys.',
    )
    .option('--principal <name>', 'whose key it is; absent: a gateway’s, which speaks for everybody')
    .option('--bundle', 'a key that signs audit bundles, and speaks for nobody')
    .option('--enroller', 'a key that enrols passkeys (`keys enroll`), and decides nothing')
    .option('--role <name>', 'what the principal may act as, or the enroller may give; may be given again', several)
    .option('--days <n>', 'for how many days it is good; default: until it is revoked', wholeNumber)
    .option('--out <file>', 'where the private key goes; default: keys/ below HOLDFAST_HOME')
    .action(async ({ days, out, bundle, enroller, ...who }: Who & Making) => {
      const { home, trustedKeys } = loadConfig();
      check(who);
      if ([bundle, enroller, who.principal].filter((one) => one !== undefined).length > 1)
        throw new UsageError('--bundle, --enroller and --principal are different keys: make one of each.');
      if (who.role && who.principal === undefined && !enroller)
        throw new UsageError('--role goes with --principal or --enroller: a gateway says the roles itself.');
      const key = SigningKey.generate();
      const first = bundle ? defaultBundleKey(home) : defaultSigningKey(home);
      const path = out ?? newPath(home, key.kid, who.principal === undefined && !enroller ? first : null);
      const person = who.principal === undefined ? {} : { principal: who.principal, roles: who.role ?? [] };
      const limit = enroller && who.role ? { roles: who.role } : {};
      const until = days === undefined ? {} : { expires_at: new Date(Date.now() + days * DAY_MS).toISOString() };
      const entry = trustedEntry(key, { ...person, ...limit, ...until, ...optional({ bundle, enroller }) });
      if (!(await key.save(path))) throw new UsageError(`There is a file ${path} already; it is left as it is.`);
      await updateTrustedKeys(trustedKeys, (all) => [...all, entry]);
      output().answer({ ...entry, private_key: path, trusted_keys: trustedKeys }, [
        `key ${key.kid} ${OWNERS[entry.use] ?? `of ${oneLine(entry.principal!)}`}`,
        `  private: ${path} (keep it there, or with its owner)`,
        `  entered in ${trustedKeys}`,
      ]);
    });

  keys
    .command('list')
    .description('The trusted keys, and which are in force.')
    .action(async () => {
      const all = (await readTrustedKeys(loadConfig().trustedKeys)).map((key) => ({
        ...key,
        not_in_force: notInForce(key, Date.now()),
      }));
      output().answer(all, all.length === 0 ? ['No key is trusted.'] : all.map(describe));
    });

  keys
    .command('export')
    .description('The trusted keys as JSON: public halves only, as HOLDFAST_TRUSTED_KEYS takes them.')
    .argument('[kid...]', 'only these')
    .action(async (kids: string[]) => {
      const all = await readTrustedKeys(loadConfig().trustedKeys);
      const selection = kids.length === 0 ? all : kids.map((kid) => findKey(all, kid));
      output().answer(selection, [JSON.stringify(selection, null, 2)]);
    });

  keys
    .command('import')
    .description(
      'Trusts keys of another host: what `keys export` printed there. Keys that are trusted or revoked here stay as they are.',
    )
    .argument('[file]', 'default: standard input')
    .action(async (file: string | undefined) => {
      const { trustedKeys } = loadConfig();
      const entries = file === undefined ? parseTrustedKeys(await readStdin(), 'on standard input') : await readTrustedKeys(file);
      let newKeys: TrustEntry[] = [];
      await updateTrustedKeys(trustedKeys, (all) => {
        newKeys = entries.filter(({ kid }) => all.every((one) => one.kid !== kid));
        return [...all, ...newKeys];
      });
      const what = newKeys.length === 0 ? 'Nothing to enter' : `Entered ${newKeys.map(({ kid }) => kid).join(', ')}`;
      output().answer({ added: newKeys.map(({ kid }) => kid), trusted_keys: trustedKeys }, [`${what}, in ${trustedKeys}.`]);
    });

  keys
    .command('revoke')
    .description(
      'Revokes a key, a passkey or a deputyship: nothing that was signed with it counts any more, whenever it was signed.',
    )
    .argument('<kid>')
    .option('--passkey', 'it is the id of a passkey: enters it in the file as revoked')
    .option('--deputy', 'it is the id of a deputyship: enters it in the file as revoked')
    .action(async (kid: string, { passkey, deputy }: { passkey?: true; deputy?: true }) => {
      const { trustedKeys } = loadConfig();
      const revoked_at = new Date().toISOString();
      if (passkey && deputy) throw new UsageError('An id is that of a passkey or of a deputyship, not of both.');
      const use = passkey ? 'passkey' : deputy ? 'deputy' : null;
      if (use !== null && !KID.test(kid))
        throw new UsageError(
          `The id of a ${REVOKED_KINDS[use]} is 16 hex characters; \`holdfast ${passkey ? 'keys passkeys' : 'deputies list'}\` shows it.`,
        );
      await updateTrustedKeys(trustedKeys, (all) => {
        if (use !== null && all.every((one) => one.kid !== kid)) return [...all, { kid, use, revoked_at }];
        const { kid: fullKid } = findKey(all, kid);
        return all.map((key) => (key.kid === fullKid && key.revoked_at === undefined ? { ...key, revoked_at } : key));
      });
      output().answer({ kid, revoked_at }, [
        `Revoked: ${kid}, in ${trustedKeys}. Workers with another file need the same change.`,
      ]);
    });

  keys
    .command('limit')
    .description(
      'Leaves a gateway’s key the starts of turns, messages and denials: all other decisions people must sign themselves, with passkeys or keys.',
    )
    .argument('<kid>')
    .action(async (kid: string) => {
      const { trustedKeys } = loadConfig();
      await updateTrustedKeys(trustedKeys, (all) => {
        const key = findKey(all, kid);
        if (key.use !== 'gateway') throw new UsageError(`Key ${kid} is not a gateway's: its use is ${key.use}.`);
        return all.map((one) => (one === key ? { ...key, decides: false } : one));
      });
      output().answer({ kid, decides: false }, [
        `Limited: ${kid}, in ${trustedKeys}. Workers with another file need the same change.`,
      ]);
    });

  keys
    .command('token')
    .description('Makes a token for the gateway, and its entry for HOLDFAST_TOKENS. The token is shown once and kept nowhere.')
    .requiredOption('--principal <name>', 'whom it speaks for')
    .option('--role <name>', 'starter, approver, auditor, admin, or a name of your own; may be given again', several)
    .action(async (who: Who & { principal: string }) => {
      check(who);
      const { token, entry } = newToken(who.principal, who.role ?? []);
      output().answer({ token, entry }, [`HOLDFAST_TOKEN=${token}`, 'for HOLDFAST_TOKENS, a JSON list:', JSON.stringify(entry)]);
    });
}

const OWNERS: Partial<Record<TrustedKey['use'], string>> = {
  gateway: 'of a gateway',
  bundle: 'for audit bundles',
  enroller: 'of an enroller',
};

/** The first key goes to the path that a gateway, or an export, uses without a setting. */
function newPath(home: string, kid: string, first: string | null): string {
  return first !== null && !existsSync(first) ? first : join(home, 'keys', `${kid}.pem`);
}

function check({ principal, role = [] }: Who): void {
  if (principal !== undefined && !principalName(principal))
    throw new UsageError('--principal must be a name of 1 to 200 characters.');
  if (!roleList(role))
    throw new UsageError('--role must be up to 16 different names of letters, digits and . _ : -, of at most 64 characters.');
}

function findKey(all: TrustEntry[], kid: string): TrustEntry {
  const key = all.find((one) => one.kid === kid);
  if (!key)
    throw new UsageError(
      `There is no key ${JSON.stringify(kid.slice(0, 40))}; \`holdfast keys list\` shows them. Of a passkey, revoke it with --passkey.`,
    );
  return key;
}

const REVOKED_KINDS = { passkey: 'passkey', deputy: 'deputyship' };

const USES: Partial<Record<TrustedKey['use'], string>> = {
  gateway: 'a gateway, for everybody',
  bundle: 'audit bundles, for nobody',
  enroller: 'an enroller of passkeys',
  witness: 'a witness of audit bundles',
  timestamp: 'a timestamp authority',
};

function describe({ not_in_force, ...entry }: TrustEntry & { not_in_force: string | null }): string {
  if (isRevocation(entry)) return `${entry.kid}  a ${REVOKED_KINDS[entry.use]}  revoked at ${entry.revoked_at}`;
  const { kid, use, principal, roles = [], created_at } = entry;
  const limit = entry.decides === false ? ', but decides nothing' : '';
  const who = `${USES[use] ?? oneLine(principal!)}${roles.length > 0 ? ` (${roles.join(', ')})` : ''}`;
  return `${kid}  ${who}  since ${created_at.slice(0, 10)}  ${not_in_force ?? 'in force'}${limit}`;
}
