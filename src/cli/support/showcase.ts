/**
 * Loads the built-in agents, a package beside the engine: it brings the packs and their dependencies, which a user's own app file
 * does not need. It depends on the engine, so the engine knows only its name, and loads it when a command needs it.
 */
import { createRequire } from 'node:module';
import type { App } from '../../agents/define';
import type { Config, EvmConfig, SmtpConfig } from '../../config';
import { UsageError } from './exit';

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

const load = createRequire(__filename);

/** @throws UsageError as `needShowcase` */
export function loadShowcase(): Showcase {
  needShowcase();
  return load(PACKAGE) as Showcase;
}

/** To call before anything is started that needs the agents. @throws UsageError that says how to install them */
export function needShowcase(): void {
  if (hasShowcase()) return;
  throw new UsageError(
    `The agents that ship are a package of their own, which is not installed: npm install ${PACKAGE}. Or give an app of your own: --app FILE.`,
  );
}

export function hasShowcase(): boolean {
  // When run from source, nothing has to be built: packages of this repository resolve to their sources too.
  if (__filename.endsWith('.ts')) (load('../../../scripts/lib/sources.cjs') as { resolveSources(): void }).resolveSources();
  try {
    load.resolve(PACKAGE);
    return true;
  } catch {
    return false;
  }
}
