/** Right before the effect: is it still what was shown? */
import { Context } from '@temporalio/activity';
import type { RunCallInput } from '../../shared/activity-io';
import { canonical } from '../../shared/json/canonical';
import { hashJson } from '../../shared/json/digests';
import type { Json, JsonObject } from '../../shared/json/json';
import { taken } from '../../tools/schema/input-output';
import type { Dependencies } from '../ports';
import { previewOf } from '../admission/preview';
import type { ApprovalEvidence } from '../../record/parts';
import type { HoldAnswer } from './hold';
import type { Tool } from '../../tools/define/tool';

const LONGEST_TEXT = 4000;

export async function previewDrifted(
  deps: Dependencies,
  request: RunCallInput,
  tool: Tool,
  input: JsonObject,
  { preview: asked }: ApprovalEvidence,
): Promise<HoldAnswer> {
  const { turn, call, verdict } = request;
  // A write that a rule allows has no preview to compare with.
  const previewed = call.preview_ref !== null || tool.class === 'destructive' || verdict === 'ask';
  if (!tool.preview || !previewed) return null;
  const now = await previewOf(deps, { turn, callId: call.id }, tool, input);
  if (!now.ok) {
    // A write may have been done by an attempt that was lost: then the tool itself has the better answer.
    if (tool.class !== 'destructive' && Context.current().info.attempt > 1) return null;
    const message = `${tool.name} was not run: it cannot be seen any more what it would do. ${now.error.message}`;
    return { refused: { ...now.error, message: bounded(message, 2000) } };
  }
  if (isTolerable(deps, tool, asked, now.data, input)) return null;
  const text = `What it would do is not what it was when this call was approved or allowed. Then it was:\n${textOf(asked)}`;
  return { kind: 'preview_drifted', id: hashJson(now.data), text: bounded(text) };
}

/** The tool's own measure; where it has none, or it fails, only the same is the same. */
function isTolerable({ log }: Dependencies, tool: Tool, asked: Json, now: Json, input: JsonObject): boolean {
  if (canonical(asked) === canonical(now)) return true;
  if (!tool.previewTolerance) return false;
  try {
    return tool.previewTolerance(structuredClone(asked), structuredClone(now), taken(tool, input)) === true;
  } catch (error) {
    log.warn({ tool: tool.name, err: error }, 'previewTolerance failed: the call is asked about again');
    return false;
  }
}

function textOf(preview: Json): string {
  if (preview === null) return 'nothing to see';
  return typeof preview === 'string' ? preview : JSON.stringify(preview, null, 2);
}

function bounded(text: string, longest = LONGEST_TEXT): string {
  if (text.length <= longest) return text;
  const note = `\n… cut: ${text.length} characters in all`;
  return `${text.slice(0, longest - note.length)}${note}`.toWellFormed();
}
