/** `holdfast eval`: runs cases of an agent, and makes a case of what happened. */
import type { Command } from 'commander';
import { evalCapture } from './eval-capture';
import { evalRun } from './eval-run';
import type { Output } from './support/output';

export function evalCommands(command: Command, output: () => Output): void {
  evalRun(command, output);
  evalCapture(command, output);
}
