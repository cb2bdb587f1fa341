/** Parses a command-line option that is a JSON object. */
import { InvalidArgumentError } from 'commander';
import { isJsonObject, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import { errorMessage } from '../../shared/text/error-message';

/** A JSON object as an option: parsed strictly, since it may become a call's input. */
export function jsonObject(text: string): JsonObject {
  try {
    const value = parseJson(text);
    if (isJsonObject(value)) return value;
  } catch (error) {
    throw new InvalidArgumentError(errorMessage(error));
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}
