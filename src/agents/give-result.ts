/**
 * Makes the tool `give_result` of an agent with a result: its input schema is the result's, so that admission checks a result as it
 * checks every input, and a result that does not fit goes back to the model with all of its faults.
 */
import { z } from 'zod';
import { isJsonObject, type Json, type JsonObject, jsonBytes } from '../shared/json/json';
import { GIVE_RESULT, RESULT_BYTES } from '../shared/turn/result';
import { defineBuiltIn } from '../tools/define/define';
import { asyncPlace } from '../tools/define/fields';
import type { CheckFault, Tool } from '../tools/define/tool';
import { closeSchema } from '../tools/schema/close-schema';
import { visitSchemas } from '../tools/schema/cost';
import { compiledInput, copyAsJson, isZod } from '../tools/schema/schema';

/** A result as an agent's author describes it: a zod object, or a JSON Schema of type object. */
export type ResultDefinition = z.ZodType | JsonObject;

/** Why this cannot describe a result; empty: it can. */
export function resultFaults(result: unknown): string[] {
  if (result === undefined) return [];
  if (!isZod(result) && !isJsonObject(result as Json)) return ['result must be a zod object or a JSON Schema'];
  try {
    const { type } = compiledInput(resultSchema(result as ResultDefinition)).schema;
    if (type !== 'object')
      return [
        `result must be a schema of type object; its type is ${JSON.stringify(type ?? null)}: put it into a field of an object`,
      ];
    const waits = isZod(result) ? asyncPlace(result) : null;
    return waits === null ? [] : [`result has an asynchronous refinement at ${waits || '/'}: it must answer at once`];
  } catch (error) {
    return [`result is not a usable schema: ${error instanceof Error ? error.message.slice(0, 500) : 'it throws'}`];
  }
}

const schemas = new WeakMap<object, JsonObject>();

/** The strict JSON Schema of a result. Without defaults: the data is what the model wrote. */
export function resultSchema(result: ResultDefinition): JsonObject {
  const cached = schemas.get(result);
  if (cached) return cached;
  const schema = closeSchema(isZod(result) ? ofZod(result) : copyAsJson(result));
  visitSchemas(schema, (one) => delete one.default);
  schemas.set(result, schema);
  return schema;
}

/** As zod's output, which is the type that `turn.result().data` has. The data is JSON, so that nothing may be transformed. */
function ofZod(result: z.ZodType): JsonObject {
  return copyAsJson(z.toJSONSchema(result, { io: 'output', override: refuseTransforms }));
}

function refuseTransforms({ zodSchema }: { zodSchema: z.core.$ZodTypes }): void {
  const { type } = zodSchema._zod.def;
  if (type === 'pipe' || type === 'transform')
    throw new Error('it has a transform: the data is the JSON that the model gave; transform it where you use it');
}

const tools = new WeakMap<object, Tool>();

/** The tool of one result, made once. */
export function giveResultTool(result: ResultDefinition): Tool {
  const cached = tools.get(result);
  if (cached) return cached;
  const tool = defineBuiltIn({
    name: GIVE_RESULT,
    version: '1.0.0',
    class: 'compute',
    description: {
      does: 'Gives the result of your work, and ends it. The input is the result itself.',
      returns: '{accepted}: you will not be asked again, unless a person has something to add.',
      useWhen: 'everything else is done. Call it alone, as your last call: without it your work has no result.',
      dontUseFor: 'interim states, or answers that you are not sure of: use your other tools first.',
    },
    input: resultSchema(result),
    check: (input: unknown) => resultFault(result, input as JsonObject),
    summarize: () => 'the result was accepted',
    run: () => ({ accepted: true }),
  });
  tools.set(result, tool);
  return tool;
}

/** What the JSON Schema cannot say: the size, and the refinements of a zod schema. */
function resultFault(result: ResultDefinition, input: JsonObject): CheckFault | undefined {
  const bytes = jsonBytes(input);
  if (bytes > RESULT_BYTES)
    return { reason: 'too_large', message: `The result has ${bytes} bytes; ${RESULT_BYTES} are allowed. Give less.` };
  if (!isZod(result)) return undefined;
  const { error } = result.safeParse(structuredClone(input));
  if (!error) return undefined;
  const faults = error.issues.map(({ path, message }) => `${`/${path.join('/')}`} ${message}`.slice(0, 300).toWellFormed());
  return {
    reason: 'check_failed',
    message: `The result has ${faults.length} faults: ${faults.slice(0, MOST_FAULTS).join('; ')}`,
  };
}

/** As many as admission names of a schema's faults. */
const MOST_FAULTS = 20;
