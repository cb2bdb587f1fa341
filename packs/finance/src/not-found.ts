/** The error for data that a source of the finance tools does not have. */
import { ToolError } from 'holdfast/tools';

/** The hint names what exists instead. A gap is never filled by an estimate. */
export function notFound(reason: string, message: string, hint: string): ToolError {
  return new ToolError('RESOURCE_NOT_FOUND', reason, message, { hint });
}
