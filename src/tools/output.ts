/** What a tool returned, against what it says that it returns: its owner's fault, found before anybody reads the result. */
import { callError, type CallError } from '../shared/errors';
import type { Json } from '../shared/json';
import { compileOutput, outputSchema, type Validator } from './schema';
import type { Tool } from './tool';

export const FOR_THE_OWNER = "This is for the tool's owner to mend.";

/** Violations that are named; the message says how many there are. */
const LISTED = 20;

const validators = new WeakMap<object, Validator<Json>>();

/** As `outputFault`, in a thread where that could take long. */
export async function checkOutput(tool: Pick<Tool, 'name' | 'output'>, data: Json, owner: string): Promise<CallError | null> {
  if (tool.output !== undefined) await validatorOf(tool.output).ahead(data, owner);
  return outputFault(tool, data);
}

/** Null when the result fits, or when the tool declares no output schema. */
export function outputFault(tool: Pick<Tool, 'name' | 'output'>, data: Json): CallError | null {
  if (tool.output === undefined) return null;
  const checked = validatorOf(tool.output)(data);
  if (checked.valid) return null;
  const { violations } = checked;
  const lines = violations.slice(0, LISTED).map(({ path, message }) => `${path === '' ? 'the result' : path} ${message}`);
  const many = `${violations.length} fault${violations.length === 1 ? '' : 's'}`;
  return callError('EXECUTION_ERROR', 'output_mismatch', `The result of ${tool.name} has ${many}: ${lines.join('; ')}`, {
    hint: FOR_THE_OWNER,
    details: violations.slice(0, LISTED),
  });
}

function validatorOf(output: NonNullable<Tool['output']>): Validator<Json> {
  const known = validators.get(output);
  if (known) return known;
  const made = compileOutput(outputSchema(output));
  validators.set(output, made);
  return made;
}
