/** `holdfast audit …`: the commands for bundles. Each command is a file of its own, `audit-….ts`. */
import type { Command } from 'commander';
import { auditExport } from './audit-export';
import { auditRedact } from './audit-redact';
import { auditReplay } from './audit-replay';
import { auditReport } from './audit-report';
import { auditRetain } from './audit-retain';
import { auditSweep } from './audit-sweep';
import { auditVerify } from './audit-verify';
import { auditWhatIf } from './audit-what-if';
import { auditWitness } from './audit-witness';
import type { Output } from './support/output';

type AuditCommand = (audit: Command, output: () => Output) => void;

const COMMANDS: readonly AuditCommand[] = [
  auditExport,
  auditReplay,
  auditReport,
  auditVerify,
  auditWhatIf,
  auditRedact,
  auditSweep,
  auditRetain,
  auditWitness,
];

export function auditCommands(audit: Command, output: () => Output): void {
  for (const command of COMMANDS) command(audit, output);
}
