/** Admits a call with the input that an approver edited: like the model's own input, but always asked about. */
import type { AdmitCallInput } from '../../shared/io/activities';
import type { Edit } from '../../shared/approval/approval';
import { canonical } from '../../shared/json/canonical';
import { callError } from '../../shared/wire/errors';
import type { JsonObject } from '../../shared/json/json';
import { admit, checkInput, deniedError } from '../../tools/admit/admit';
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
  prepared: PreparedTool,
  before: JsonObject,
): Promise<DecideResult> {
  const { edit, call } = request;
  const { tool } = prepared;
  const turn = turnFacts(request.turn, call.id, request.untrusted ?? request.undecided?.untrusted ?? false);
  // The version of the call, even if the model sees another one now.
  const own = { ...agent, tools: new Map([[tool.name, prepared]]), internal: new Map<string, PreparedTool>() };
  await prepared.validate.ahead(edit.input, turn.requester);
  const checked = await admit(own, { name: tool.name, json: canonical(edit.input), cut: false }, { turn, log: deps.log });
  if (checked.verdict === 'rejected') return { ok: false, error: checked.error! };

  const asked = { tool: tool.name, version: tool.version, class: tool.class, input: checked.input, turn };
  const hooks = hooksFor(agent.hooks.before, tool.name).filter((hook) => hook.io);
  const hooked = await runBeforeIo(hooks, asked, (changed) => checkInput(prepared, changed), deps.log);
  if (!hooked.ok) return hooked;
  const looked = factsOf({ tool, input: hooked.input, turn });
  const verdict = await decideOn(agent.policy, looked);
  if (verdict.verdict === 'deny') return { ok: false, error: deniedError(tool.name, verdict) };
  if (canonical(hooked.input) === canonical(before)) {
    return { ok: false, error: callError('INVALID_PARAMS', 'not_edited', 'This is the input that the call has already.') };
  }
  const changes = [...checked.changes, ...hooked.changes];
  const decided = await storeDecision(deps, request, {
    allowed: false,
    approved: false,
    reason: `${edit.by} changed the input`,
    input: hooked.input,
    changes,
    verdict,
    facts: recordedFacts(looked),
  });
  const byPerson = { hook: '', by: edit.by, why: describeChanges(before, hooked.input, edit.note) };
  return { ok: true, decided: { ...decided, changes: [byPerson, ...decided.changes] }, input: hooked.input, before };
}

/** The text about an edit, for the card and for the model. */
function describeChanges(before: JsonObject, after: JsonObject, note: string | null): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  const changed = names.filter((name) => formatValue(before[name]) !== formatValue(after[name]) || !same(before, after, name));
  const told = changed.map((name) => `${name} from ${formatValue(before[name])} to ${formatValue(after[name])}`);
  return `changed ${told.join(', ')}${note === null ? '' : `: ${note}`}`.slice(0, 1000).toWellFormed();
}

function same(before: JsonObject, after: JsonObject, name: string): boolean {
  return canonical(before[name] ?? null) === canonical(after[name] ?? null);
}

function formatValue(value: JsonObject[string] | undefined): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value);
  return text.length <= LONGEST_VALUE ? text : `${text.slice(0, LONGEST_VALUE).toWellFormed()}…`;
}
