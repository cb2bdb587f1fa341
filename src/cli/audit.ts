/** `holdfast audit …`: the record of a turn, outside of Temporal and the store. */
import type { Command } from 'commander';
import { auditReplay } from './audit-replay';
import type { Output } from './support/output';

export function auditCommands(audit: Command, output: () => Output): void {
  auditReplay(audit, output);
}
