/** What tests ask rules about. */
import { defineTool } from '../../src/tools/define/define';
import type { TurnFacts } from '../../src/tools/admit/policy';

export const TRUSTED: TurnFacts = { untrusted: false, requester: 'ana', agent: 'a', step: 1 };

export const pays = defineTool({
  name: 'pays',
  version: '1.0.0',
  class: 'destructive',
  description: 'Pays.',
  input: { type: 'object', additionalProperties: true },
  run: () => null,
});
