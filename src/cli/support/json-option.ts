import { InvalidArgumentError } from 'commander';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';

/** A JSON object as an option: read strictly, since it may be what runs. */
export function jsonObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message);
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}
