import { defineTool } from 'holdfast/app';
import { z } from 'zod';
import { sourceNames } from '../sources.js';

export const listSources = defineTool({
  name: 'list_sources',
  version: '1.0.0',
  class: 'read',
  description: 'Lists the files that can be read.',
  input: z.object({}),
  output: z.object({ sources: z.array(z.string()) }),
  run: async () => ({ sources: await sourceNames() }),
});
