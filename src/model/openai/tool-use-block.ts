/** A call in the neutral form. */
import { isJsonObject, type JsonObject } from '../../shared/json/json';

/** @param json the input as the model wrote it; if it is no JSON object, the block's input is empty, and admission says why */
export function toolUseBlock(id: string, name: string, json: string): JsonObject {
  return { type: 'tool_use', id, name, input: parsedObject(json) };
}

function parsedObject(json: string): JsonObject {
  try {
    const value = JSON.parse(json) as unknown;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}
