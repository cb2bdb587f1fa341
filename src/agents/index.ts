/** The agents that ship. */
import { edgarData, financeTools, snapshotData, SmtpMailer, type EdgarSettings, type SmtpSettings } from '../packs/finance';
import { creditAnalyst } from './credit-analyst';
import { defineApp, type App } from './define';

export interface ShippedSettings {
  smtp: SmtpSettings;
  /** Live EDGAR; absent: the embedded snapshot. */
  edgar?: EdgarSettings | null;
}

/** Served when no app file is given. */
export function shippedApp({ smtp, edgar }: ShippedSettings): App {
  const data = edgar ? edgarData(edgar) : snapshotData();
  return defineApp({ agents: [creditAnalyst(financeTools({ ...data, mailer: new SmtpMailer(smtp) }))] });
}
