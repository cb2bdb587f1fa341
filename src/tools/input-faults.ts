/** What is wrong with an input, in words: some of it by name, and how much it is. */
import { callError, type CallError } from '../shared/errors';
import type { Violation } from './schema';

/** Faults that are listed one by one; the message says how many there are. */
const LISTED = 20;

export function inputError(tool: string, reason: string, faults: readonly Violation[], more: { hint?: string } = {}): CallError {
  const details = faults.slice(0, LISTED);
  const lines = details.map((fault) => `${fault.path === '' ? 'input' : fault.path} ${fault.message}`);
  const message = `The input of ${tool} has ${faults.length} fault${faults.length === 1 ? '' : 's'}: ${lines.join('; ')}`;
  return callError('INVALID_PARAMS', reason, message, { ...more, details });
}
