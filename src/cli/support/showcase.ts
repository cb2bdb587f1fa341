/**
 * Loads the built-in agents, a package beside the engine: it brings the packs and their dependencies, which a user's own app file
 * does not need. It depends on the engine, so the engine knows only its name, and loads it when a command needs it.
 */
import type { App } from '../../agents/define';
import type { Config, EvmConfig, SmtpConfig } from '../../config';
import { hasOwnPackage, loadOwnPackage, needOwnPackage } from './own-packages';

const PACKAGE = '@holdfast/showcase';

/** What the command line uses of the package. */
export interface Showcase {
  shippedApp(settings: ShippedSettings): App;
  /** Deploys contracts on a new chain. Returns the settings with which a worker finds them. */
  equipDemoChain(rpcUrl: string): Promise<NodeJS.ProcessEnv>;
  checkEdgar(settings: EdgarSettings): Promise<void>;
}

type EdgarSettings = NonNullable<Config['edgar']> & { cacheFolder: string };

interface ShippedSettings {
  smtp: Pick<SmtpConfig, 'host' | 'port' | 'from'> & Partial<SmtpConfig>;
  edgar: EdgarSettings | null;
  /** Null: without the agent that has a shell. */
  showcase: { workspace: string; evm: EvmConfig | null; reference: Config['reference'] } | null;
}

/** @throws UsageError as `needShowcase` */
export function loadShowcase(): Showcase {
  needShowcase();
  return loadOwnPackage<Showcase>(PACKAGE);
}

/** To call before anything is started that needs the agents. @throws UsageError that says how to install them */
export function needShowcase(): void {
  needOwnPackage(PACKAGE, 'The agents that ship are', ' Or give an app of your own: --app FILE.');
}

export function hasShowcase(): boolean {
  return hasOwnPackage(PACKAGE);
}
