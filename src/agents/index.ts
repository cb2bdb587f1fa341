/** The agents that ship. */
import { edgarData, financeTools, snapshotData, SmtpMailer, type EdgarSettings, type SmtpSettings } from '../packs/finance';
import { onchainTools, type OnchainSettings } from '../packs/onchain';
import { referenceTools, type ReferenceSettings } from '../packs/reference';
import { workspaceTools } from '../packs/workspace';
import { creditAnalyst } from './credit-analyst';
import { defineApp, type App } from './define';
import { showcase } from './showcase';

export interface ShippedSettings {
  smtp: SmtpSettings;
  /** Live EDGAR; absent: the embedded snapshot. */
  edgar?: EdgarSettings | null;
  /** What `showcase` has besides; absent or null: that agent is left out. */
  showcase?: ShowcaseSettings | null;
}

export interface ShowcaseSettings {
  /** Folder that its workspace tools work in: absolute, and there. */
  workspace: string;
  /** Null: the onchain tools say that no chain is configured. */
  evm: OnchainSettings | null;
  reference?: ReferenceSettings;
}

/** Served when no app file is given. */
export function shippedApp({ smtp, edgar, showcase: more }: ShippedSettings): App {
  const data = edgar ? edgarData(edgar) : snapshotData();
  const finance = financeTools({ ...data, mailer: new SmtpMailer(smtp) });
  if (!more) return defineApp({ agents: [creditAnalyst(finance)] });
  const { workspace, evm, reference } = more;
  const all = [...finance, ...workspaceTools({ root: workspace }), ...onchainTools(evm), ...referenceTools(reference)];
  return defineApp({ agents: [creditAnalyst(finance), showcase(all)] });
}
