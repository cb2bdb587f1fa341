/**
 * What a tool's own functions are given: of a zod schema its output, anew for each, so that what they are typed to get is what
 * they get. What is recorded, shown, hashed and asked about by rules stays the input, which is JSON (decision 0037).
 */
import { z } from 'zod';
import { callError, type CallError } from '../shared/errors';
import { exceptionText } from '../shared/exception-text';
import type { JsonObject } from '../shared/json';
import { ToolError } from './errors';
import { inputError } from './input-faults';
import { FOR_THE_OWNER } from './output';
import { isZod } from './schema';
import type { Tool } from './tool';

type Asked = Pick<Tool, 'name' | 'input'>;
export type Taken = { ok: true; taken: any } | { ok: false; error: CallError };

/** @param input one that the tool's JSON Schema has passed */
export function readInput({ name, input: schema }: Asked, input: JsonObject): Taken {
  const own = structuredClone(input);
  if (!isZod(schema)) return { ok: true, taken: own };
  try {
    const { success, data, error } = schema.safeParse(own);
    if (success) return { ok: true, taken: data };
    const faults = error.issues.map(({ path, message }) => ({
      path: `/${path.join('/')}`,
      message: message.slice(0, 300).toWellFormed(),
    }));
    return { ok: false, error: inputError(name, 'check_failed', faults) };
  } catch (error) {
    const waits = error instanceof z.core.$ZodAsyncError;
    const why = waits ? 'a refinement or transform must not wait' : exceptionText(error);
    const message = `The input's schema of ${name} failed: ${why}`.slice(0, 1000).toWellFormed();
    return { ok: false, error: callError('EXECUTION_ERROR', 'check_crashed', message, { hint: FOR_THE_OWNER }) };
  }
}

/** @throws ToolError where the schema refuses the input by now: nothing has been run */
export function taken(tool: Asked, input: JsonObject): any {
  const read = readInput(tool, input);
  if (read.ok) return read.taken;
  const { code, reason, message, hint } = read.error;
  throw new ToolError(code, reason, message, { nothingHappened: true, ...(hint === undefined ? {} : { hint }) });
}
