/** Checks right before a call runs: is its preview still what the approvers saw, and its target still the one that was admitted? */
import { Context } from '@temporalio/activity';
import { approvalsOf } from '../../shared/io/activities';
import { canonical } from '../../shared/json/canonical';
import { hashJson } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import { readInputOrThrow } from '../../tools/schema/input-output';
import type { ApprovalEvidence } from '../../record/parts';
import type { Tool } from '../../tools/define/tool';
import { callError } from '../../shared/wire/errors';
import { targetHash, targetOf } from '../../tools/admit/policy';
import type { CallContext } from '../call/call-context';
import { previewOf } from '../admission/decide-call';
import type { NamedCall } from '../call/call-input';
import type { HoldAnswer } from './recheck-approvals';

const LONGEST_TEXT = 4000;

export async function checkPreviewDrift(run: CallContext, { preview: before }: ApprovalEvidence): Promise<HoldAnswer> {
  const { request, call, tool } = run;
  // A write that a rule allows has no preview to compare with.
  const hasPreview = call.preview_ref !== null || tool.class === 'destructive' || request.verdict === 'ask';
  if (!tool.preview || !hasPreview) return null;
  const now = await previewOf(run);
  if (!now.ok) {
    // A lost attempt may have done the write: then the tool itself gives the better answer.
    if (tool.class !== 'destructive' && Context.current().info.attempt > 1) return null;
    const message = `${tool.name} was not run: its preview is made again before the run, and that failed. ${now.error.message}`;
    return { refused: { ...now.error, message: truncateText(message, 2000) } };
  }
  if (isTolerable(run, before, now.data)) return null;
  const text = `The preview has changed since this call was approved or allowed. The preview then was:\n${textOf(before)}`;
  return { kind: 'preview_drifted', id: hashJson(now.data), text: truncateText(text) };
}

/** By the tool's `previewTolerance`; if it has none, or that fails, only an identical preview passes. */
function isTolerable({ deps: { log }, tool, input }: CallContext, before: Json, now: Json): boolean {
  if (canonical(before) === canonical(now)) return true;
  if (!tool.previewTolerance) return false;
  try {
    return tool.previewTolerance(structuredClone(before), structuredClone(now), readInputOrThrow(tool, input)) === true;
  } catch (error) {
    log.warn({ tool: tool.name, err: error }, 'previewTolerance failed: the call is asked about again');
    return false;
  }
}

function textOf(preview: Json): string {
  if (preview === null) return 'nothing to see';
  return typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
}

function truncateText(text: string, longest = LONGEST_TEXT): string {
  if (text.length <= longest) return text;
  const note = `\n… cut: ${text.length} characters in all`;
  return `${text.slice(0, longest - note.length)}${note}`.toWellFormed();
}

// Whether the tool still acts on the target that was admitted.

export async function checkTargetChange({ deps: { store }, request, turn, call, tool, input }: CallContext): Promise<HoldAnswer> {
  if (turn.store_id === undefined) return null;
  const now = targetOf(tool, input);
  if (!now.ok) return { refused: now.error };
  const hash = targetHash(now.target);
  // The digest covers the arguments, and was compared with the store's record before.
  if (hash === call.target_hash) return null;
  if (tool.class === 'destructive' || approvalsOf(request).length > 0) {
    const { target: admitted } = await store.getCall(call.digest);
    return { kind: 'target_changed', id: hash ?? '', text: bothTargets(tool, admitted, now.target) };
  }
  const message = `${tool.name} was not run: its target has changed since the call was admitted.`;
  return { refused: callError('TOOL_NOT_FOUND', 'target_changed', message, { hint: 'Ask for the call again.' }) };
}

/** For a dispatched call: why this worker's tool cannot answer for it. Null: it acts on the same target. */
export function targetFault(tool: Tool, { input, target }: Pick<NamedCall, 'input' | 'target'>): string | null {
  const now = targetOf(tool, input);
  if (!now.ok) return now.error.message;
  return targetHash(now.target) === targetHash(target) ? null : bothTargets(tool, target, now.target);
}

function bothTargets({ name }: Tool, before: JsonObject | null, now: JsonObject | null): string {
  const text = `When it was admitted, ${name} acted on:\n${targetText(before)}\nOn this worker it acts on:\n${targetText(now)}`;
  return text.slice(0, LONGEST_TEXT).toWellFormed();
}

function targetText(target: JsonObject | null): string {
  return target === null ? 'nothing that it declares' : JSON.stringify(target, null, 2);
}
