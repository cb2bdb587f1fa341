/** What is frozen, for commands that show it. */
import type { Config } from '../../config';
import { freezeText, readStopFrom, type Freeze } from '../../record/stop';
import type { FreezeView } from '../../shapes/records';
import type { StopRegister } from '../../stop/register';
import { oneLine } from './describe';
import { askGateway } from './gateway-client';

/** By the gateway of the settings, or else by the store. */
export async function frozenNow(config: Config): Promise<Freeze[]> {
  if (config.gateway !== null) return (await askGateway<{ freezes: FreezeView[] }>(config.gateway, 'GET', '/v1/freezes')).freezes;
  const { readRegister } = await import('../../store/open-store.js');
  return (await readStopFrom({ read: (name) => readRegister(config, name) })).freezes;
}

/** One line each. @param freezes as `frozenNow` gives them; a failure to read them is one line too */
export async function freezeLines(freezes: Promise<Freeze[]>): Promise<string[]> {
  return freezes.then(
    (all) => all.map((one) => `Frozen: ${oneLine(freezeText(one), 400)}. \`holdfast unfreeze\` ends it.`),
    (error: unknown) => [`Whether something is frozen is not known: ${oneLine(String(error), 200)}`],
  );
}

export async function storeStop(config: Config): Promise<StopRegister> {
  const [{ openStoreOf }, { StopRegister: Register }] = await Promise.all([
    import('../../store/open-store.js'),
    import('../../stop/register.js'),
  ]);
  return new Register(await openStoreOf(config));
}
