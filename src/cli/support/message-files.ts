/** Files on the command line: they are put into the store as the caller's, and go with a message. */
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { HoldfastClient } from '../../client/holdfast-client';
import type { InputPart, MessageInput } from '../../shapes/message';
import { errorMessage } from '../../shared/text/error-message';
import { UsageError } from './exit';

export const FILE_OPTION = '--file <path>';

/** Of an option that may be repeated. */
export function collect(path: string, before: string[]): string[] {
  return [...before, path];
}

/** The text, and the files after it. @throws UsageError; InvalidRequest that names what is wrong with a file */
export async function withFiles(client: HoldfastClient, text: string, paths: readonly string[]): Promise<MessageInput> {
  if (paths.length === 0) return text;
  const files: MessageInput = [];
  for (const path of paths) files.push(await putFile(client, path));
  return [{ type: 'text', text }, ...files];
}

/** @throws UsageError; InvalidRequest that names what is wrong with the file */
export async function putFile(client: HoldfastClient, path: string): Promise<InputPart> {
  return client.files.put({ bytes: await bytesOf(path), name: basename(path) });
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new UsageError(`--file ${path} cannot be read: ${errorMessage(error)}`);
  }
}
