/** Admits a call with the input that an approver edited: like the model's own input, but always asked about. */
import type { AdmitCallInput } from '../../shared/io/activities';
import type { Edit } from '../../shared/approval/approval';
import { canonical } from '../../shared/json/canonical';
import { callError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { optional } from '../../shared/json/optional';
import { admit, checkAhead, deniedError, inputCheck } from '../../tools/admit/admit';
import { hooksFor, runBeforeIo } from '../../tools/admit/hooks';
import { decideOn, factsOf, recordedFacts } from '../../tools/admit/policy';
import type { PreparedAgent, PreparedTool } from '../../tools/catalogue/registry';
import { storeDecision, turnFacts, type DecideResult } from './decide-call';
import type { Dependencies } from '../ports';

const LONGEST_VALUE = 200;

export async function editedCall(
  deps: Dependencies,
  request: AdmitCallInput & { edit: Edit },
  agent: PreparedAgent,
  preparedTool: PreparedTool,
  before: JsonObject,
): Promise<DecideResult> {
  const { edit, call } = request;
  const { tool } = preparedTool;
  const turn = turnFacts(request.turn, call.id, request.untrusted ?? request.undecided?.untrusted ?? false);
  // The version of the call, even if the model sees another one now.
  const own = { ...agent, tools: new Map([[tool.name, preparedTool]]), internal: new Map<string, PreparedTool>() };
  const callRequest = { name: tool.name, json: canonical(edit.input), cut: false };
  await checkAhead(own, [callRequest], turn.requester);
  const admission = await admit(own, callRequest, { turn, log: deps.log });
  if (admission.verdict === 'rejected') return { ok: false, error: admission.error! };

  const proposal = { tool: tool.name, version: tool.version, class: tool.class, input: admission.input, turn };
  const hooks = hooksFor(agent.hooks.before, tool.name).filter((hook) => hook.io);
  const hookResult = await runBeforeIo(hooks, proposal, inputCheck(preparedTool, turn.requester), deps.log);
  if (!hookResult.ok) return hookResult;
  const facts = factsOf({ tool, input: hookResult.input, turn });
  const verdict = await decideOn(agent.policy, facts);
  if (verdict.verdict === 'deny') return { ok: false, error: deniedError(tool.name, verdict) };
  if (canonical(hookResult.input) === canonical(before)) {
    return { ok: false, error: callError('INVALID_PARAMS', 'not_edited', 'This is the input that the call has already.') };
  }
  const changes = [...admission.changes, ...hookResult.changes];
  const decidedCall = await storeDecision(deps, request, {
    allowed: false,
    approved: false,
    reason: `${edit.by} changed the input`,
    input: hookResult.input,
    changes,
    verdict,
    facts: recordedFacts(facts),
  });
  const byPerson = { hook: '', by: edit.by, why: describeChanges(before, hookResult.input, edit.note) };
  const decided = { ...decidedCall, changes: [byPerson, ...decidedCall.changes] };
  return { ok: true, decided, input: hookResult.input, before, ...optional({ approval: verdict.approval }) };
}

/** The text about an edit, for the card and for the model. */
function describeChanges(before: JsonObject, after: JsonObject, note: string | null): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const fields = names.filter((name) => formatValue(before[name]) !== formatValue(after[name]) || !same(before, after, name));
  const changes = fields.map((name) => `${name} from ${formatValue(before[name])} to ${formatValue(after[name])}`);
  return `changed ${changes.join(', ')}${note === null ? '' : `: ${note}`}`.slice(0, 1000).toWellFormed();
}

function same(before: JsonObject, after: JsonObject, name: string): boolean {
  return canonical(before[name] ?? null) === canonical(after[name] ?? null);
}

function formatValue(value: JsonObject[string] | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}
