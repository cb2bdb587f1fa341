/**
 * Parses a tool's input for its functions, and checks its results. A zod schema is parsed anew for each function, so that each
 * gets the value that its type promises. Records, cards, hashes and rules use the unparsed JSON input (decision 0037).
 */
import { z } from 'zod';
import { callError, type CallError, exceptionText } from '../../shared/wire/errors';
import { copyJson, type JsonObject, type Json } from '../../shared/json/json';
import { ToolError } from '../define/errors';
import type { Tool } from '../define/tool';
import { isZod, type Violation, compileOutput, outputSchema, type Validator } from './schema';
import { optional } from '../../shared/json/optional';

type ToolWithInput = Pick<Tool, 'name' | 'input'>;
export type ParsedInput = { ok: true; value: unknown } | { ok: false; error: CallError };

/** @param input one that the tool's JSON Schema has accepted */
export function readInput({ name, input: schema }: ToolWithInput, input: JsonObject): ParsedInput {
  const own = copyJson(input);
  if (!isZod(schema)) return { ok: true, value: own };
  try {
    const { success, data, error } = schema.safeParse(own);
    if (success) return { ok: true, value: data };
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

/** @throws ToolError where the schema refuses the input now: nothing has run */
export function readInputOrThrow(tool: ToolWithInput, input: JsonObject): unknown {
  const read = readInput(tool, input);
  if (read.ok) return read.value;
  const { code, reason, message, hint } = read.error;
  throw new ToolError(code, reason, message, { nothingHappened: true, ...optional({ hint }) });
}

// The error for an invalid input: it lists the first faults, and gives their total.

/** Most faults that are listed; the message gives the total. */
const MAX_FAULTS = 20;

export function inputError(tool: string, reason: string, faults: readonly Violation[], more: { hint?: string } = {}): CallError {
  const details = faults.slice(0, MAX_FAULTS);
  const lines = details.map((fault) => `${fault.path === '' ? 'input' : fault.path} ${fault.message}`);
  const message = `The input of ${tool} has ${faults.length} fault${faults.length === 1 ? '' : 's'}: ${lines.join('; ')}`;
  return callError('INVALID_PARAMS', reason, message, { ...more, details });
}

// Checks a result against the tool's output schema. A mismatch is a fault of the tool's owner, found before the result is used.

export const FOR_THE_OWNER = "This is for the tool's owner to mend.";

const validators = new WeakMap<object, Validator<Json>>();

/** In a thread, where that could take long. Null when the result fits, or when the tool declares no output schema. */
export async function checkOutput(tool: Pick<Tool, 'name' | 'output'>, data: Json, owner: string): Promise<CallError | null> {
  if (tool.output !== undefined) await validatorOf(tool.output).ahead(data, owner);
  return outputFault(tool, data);
}

function outputFault(tool: Pick<Tool, 'name' | 'output'>, data: Json): CallError | null {
  if (tool.output === undefined) return null;
  const checked = validatorOf(tool.output)(data);
  if (checked.valid) return null;
  const { violations } = checked;
  const lines = violations.slice(0, MAX_FAULTS).map(({ path, message }) => `${path === '' ? 'the result' : path} ${message}`);
  const many = `${violations.length} fault${violations.length === 1 ? '' : 's'}`;
  return callError('EXECUTION_ERROR', 'output_mismatch', `The result of ${tool.name} has ${many}: ${lines.join('; ')}`, {
    hint: FOR_THE_OWNER,
    details: violations.slice(0, MAX_FAULTS),
  });
}

function validatorOf(output: NonNullable<Tool['output']>): Validator<Json> {
  const cachedValidator = validators.get(output);
  if (cachedValidator) return cachedValidator;
  const validator = compileOutput(outputSchema(output));
  validators.set(output, validator);
  return validator;
}
