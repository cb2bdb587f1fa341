import type { RunCallInput } from '../../shared/activity-io';
import type { Envelope } from '../../shared/wire/envelope';
import type { JsonObject } from '../../shared/json/json';
import { annotate } from '../../tools/admit/after-hooks';
import { turnFacts } from '../admission/decide-call';
import type { Dependencies } from '../ports';
import type { Tool } from '../../tools/define/tool';

/** An envelope with what the after-hooks say of it; the same one where there are none. */
export function withAfterHooks(
  deps: Dependencies,
  { turn, call, untrusted }: RunCallInput,
  tool: Tool,
  input: JsonObject,
  envelope: Envelope,
): Promise<Envelope> {
  const hooks = deps.registry.forTurn(turn)?.hooks.after ?? [];
  const facts = turnFacts(turn, call.id, untrusted ?? false);
  return annotate(hooks, { tool: tool.name, version: tool.version, class: tool.class, input, turn: facts }, envelope, deps.log);
}
