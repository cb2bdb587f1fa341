/**
 * The built-in agents, and the set-up of the embedded stack's chain. The command line loads this package by name
 * (src/cli/support/showcase.ts).
 */
import { edgarData, financeTools, snapshotData, SmtpMailer, type EdgarSettings, type SmtpSettings } from '@holdfast/finance';
import { onchainTools, type OnchainSettings } from '@holdfast/onchain';
import { referenceTools, type ReferenceSettings } from '@holdfast/reference';
import { workspaceTools } from '@holdfast/workspace';
import { defineApp, type App } from 'holdfast/app';
import { creditAnalyst } from './credit-analyst';
import { showcase } from './showcase';

export { creditAnalyst } from './credit-analyst';
export { equipDemoChain } from './demo-chain';
export { invoiceApp, invoiceReader, type Proposal } from './invoices';
export { showcase } from './showcase';

export interface ShippedSettings {
  smtp: SmtpSettings;
  /** Live EDGAR; absent: the embedded snapshot. */
  edgar?: EdgarSettings | null;
  /** What the agent `showcase` needs besides; absent or null: that agent is left out. */
  showcase?: ShowcaseSettings | null;
}

export interface ShowcaseSettings {
  /** Folder of its workspace tools: absolute, and existing. */
  workspace: string;
  /** Null: the onchain tools answer that no chain is configured. */
  evm: OnchainSettings | null;
  reference?: ReferenceSettings;
}

/** The app that is served when no app file is given. */
export function shippedApp({ smtp, edgar, showcase: more }: ShippedSettings): App {
  const data = edgar ? edgarData(edgar) : snapshotData();
  const finance = financeTools({ ...data, mailer: new SmtpMailer(smtp) });
  if (!more) return defineApp({ agents: [creditAnalyst(finance)] });
  const { workspace, evm, reference } = more;
  const all = [...finance, ...workspaceTools({ root: workspace }), ...onchainTools(evm), ...referenceTools(reference)];
  return defineApp({ agents: [creditAnalyst(finance), showcase(all)] });
}

/** Sends one request, for the list of tickers. @throws ToolError if EDGAR does not answer */
export async function checkEdgar(settings: EdgarSettings): Promise<void> {
  await edgarData(settings).filings.coverage('AAPL');
}
