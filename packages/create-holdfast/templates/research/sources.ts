/** The sources: the text files of one folder. Put your own there, or read a database here. */
import { readdir, readFile } from 'node:fs/promises';
import { ToolError } from 'holdfast/app';
import { z } from 'zod';

const FOLDER = new URL('./sources/', import.meta.url);

/** No slash, so that no name leads out of the folder. */
export const sourceName = z
  .string()
  .regex(/^\w[\w-]*\.(md|csv|txt)$/)
  .describe('Name of a file, as list_sources gives it');

export async function sourceNames(): Promise<string[]> {
  return (await readdir(FOLDER)).filter((name) => sourceName.safeParse(name).success).toSorted();
}

/** @throws ToolError, which the model reads */
export async function sourceText(name: string): Promise<string> {
  if (!(await sourceNames()).includes(name))
    throw new ToolError('RESOURCE_NOT_FOUND', 'no_such_source', `There is no source ${name}.`);
  return readFile(new URL(name, FOLDER), 'utf8');
}
