import { ToolError } from 'holdfast/tools';

/** What the source lacks: said with a reason and with what exists instead, never filled by an estimate. */
export function notFound(reason: string, message: string, hint: string): ToolError {
  return new ToolError('RESOURCE_NOT_FOUND', reason, message, { hint });
}
