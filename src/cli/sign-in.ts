/** `holdfast sign-in forget`: lets an account of the OpenID provider come with another name or tenant. It needs the gateway's store. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { forgetName } from '../sign-in/oidc-person';
import { oneLine } from './support/describe';
import { UsageError } from './support/exit';
import type { Output } from './support/output';

export function signInCommands(signIn: Command, output: () => Output): void {
  signIn
    .command('forget')
    .description(
      'Forgets the name that an account of the provider has here: at its next sign-in it gets the name and tenant that the provider says then. No other account gets the old name. Needs the settings and the store of the gateway.',
    )
    .argument('<name>', 'the old name, with its tenant if it has one: ana, or acme/ana')
    .action(async (name: string) => {
      const config = loadConfig();
      const issuer = config.http.signIn.oidc?.issuer;
      if (issuer === undefined)
        throw new UsageError('HOLDFAST_OIDC_ISSUER is not set; run this with the settings and the store of the gateway.');
      const { openStoreOf } = await import('../store/open-store.js');
      const store = await openStoreOf(config);
      const wasKnown = await forgetName(store.registers, issuer, name).finally(() => store.close());
      if (!wasKnown)
        throw new UsageError(`No account of ${issuer} has the name ${JSON.stringify(name.slice(0, 200))} in this store.`);
      output().answer({ name, issuer, forgotten: true }, [
        `Forgotten: ${oneLine(name)}. At its next sign-in the account gets the name and tenant that the provider says then.`,
        'Its turns, passkeys and deputies stay with the old name, and four eyes takes the two names for two people.',
        'A sign-in that is open keeps the old name until it ends.',
      ]);
    });
}
