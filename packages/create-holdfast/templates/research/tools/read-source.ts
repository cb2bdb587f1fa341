import { defineTool } from 'holdfast/app';
import { z } from 'zod';
import { sourceName, sourceText } from '../sources.js';

export const readSource = defineTool({
  name: 'read_source',
  version: '1.0.0',
  class: 'read',
  description: 'Reads one of the files that list_sources names.',
  input: z.object({ source: sourceName }),
  output: z.object({ text: z.string() }),
  // Others wrote the files: rules can tell the calls that come after them (`turn.untrusted`).
  untrustedOutput: true,
  run: async ({ source }) => ({ text: await sourceText(source) }),
});
