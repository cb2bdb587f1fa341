/** Permission once more, where the call is run: history is not trusted to have asked. */
import { approvalsOf, type RunCallInput } from '../../shared/activity-io';
import type { Held } from '../../shared/approval/approval';
import { callError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { deniedError } from '../../tools/admit/admit';
import { decide } from '../../tools/admit/policy';
import { prepareTool, type PreparedAgent } from '../../tools/catalogue/registry';
import { turnFacts } from '../admission/decide-call';
import { approvalsFault } from './approvals-fault';
import { inputFault } from '../call/call-input';
import type { Dependencies } from '../ports';
import type { HoldAnswer } from './hold';
import type { Tool } from '../../tools/define/tool';

/**
 * Null when the present rules let this call run, or people have approved exactly it. At least as strict as
 * admission: what was asked then needs the approval now, whatever the rules say today. An approval that was given
 * under other rules is asked for again under these, since whoever gave it has seen the others.
 */
export async function permissionFault(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
): Promise<HoldAnswer> {
  const { turn, call } = request;
  const agent = deps.registry.forTurn(turn)!;
  await prepareTool(tool).validate.ahead(input, turn.requester);
  const unfit = inputFault(tool, input);
  if (unfit) return { refused: unfit };
  const verdict = await decide(agent.policy, { tool, input, turn: turnFacts(turn, call.id, request.untrusted ?? false) });
  if (verdict.verdict === 'deny') return { refused: deniedError(tool.name, verdict) };
  if (agent.policyRef !== call.policy_ref) {
    if (approvalsOf(request).length > 0) return policyChanged(agent);
    if (tool.class === 'destructive') return { refused: POLICY_CHANGED };
  }
  // What the rules leave open, the classifier or a person has decided at admission; it is never a destructive call.
  if (verdict.verdict !== 'ask' && request.verdict !== 'ask') return null;
  const fault = await approvalsFault(deps, request, agent.approval(tool.name));
  return fault && { refused: fault };
}

const POLICY_CHANGED = callError('PERMISSION_DENIED', 'policy_changed', 'The rules have changed since this call was admitted.', {
  hint: 'Ask for the call again.',
});

function policyChanged({ agent, policyRef }: PreparedAgent): Held {
  const text = `The rules of agent ${agent.name}, or what approving takes, have changed since this call was admitted: a new version of it was deployed. What was decided before counts no more; the lines above say what it takes now.`;
  return { kind: 'policy_changed', id: policyRef, text };
}
