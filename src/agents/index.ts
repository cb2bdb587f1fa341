/** The agents that ship. */
import { financeTools } from '../packs/finance';
import { SnapshotFinanceData } from '../packs/finance/snapshot';
import { SmtpMailer, type SmtpSettings } from '../packs/finance/smtp-mailer';
import { creditAnalyst } from './credit-analyst';
import { defineApp, type App } from './define';

/** Served when no app file is given. */
export function shippedApp(settings: { smtp: SmtpSettings }): App {
  return defineApp({
    agents: [creditAnalyst(financeTools({ data: new SnapshotFinanceData(), mailer: new SmtpMailer(settings.smtp) }))],
  });
}
