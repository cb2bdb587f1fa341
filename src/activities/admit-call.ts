/** Admission's part with I/O: the preview, the digest over it, and the card, stored exactly as it will be shown. */
import { Context } from '@temporalio/activity';
import type { AdmitCallInput, AdmitCallOutput } from '../shared/activity-io';
import { approvalCard } from '../shared/card';
import { callDigest } from '../shared/digests';
import { callError } from '../shared/errors';
import type { Json } from '../shared/json';
import { runTool } from '../tools/run';
import type { Tool } from '../tools/define';
import { effectiveInput } from './call-input';
import type { Dependencies } from './dependencies';
import { withPulse } from './pulse';
import { toolContext } from './tool-context';

const PREVIEW_TIMEOUT = 30_000;

export async function admitCall(deps: Dependencies, request: AdmitCallInput): Promise<AdmitCallOutput> {
  const { turn, call } = request;
  const scope = turn.first_execution_run_id;
  const tool = deps.registry.agent(turn.agent)?.tools.get(call.tool)?.tool;
  if (!tool || tool.version !== call.version) {
    return {
      ok: false,
      error: callError('TOOL_NOT_FOUND', 'tool_changed', `This worker no longer has ${call.tool}@${call.version}.`, {
        hint: 'Ask for the call again.',
      }),
    };
  }
  const input = await effectiveInput(deps.store, call);
  const preview = await previewOf(deps, request, tool, input);
  if (!preview.ok) return { ok: false, error: preview.error };

  const previewRef = preview.data === null ? null : await deps.store.putPart(scope, { call_id: call.id, preview: preview.data });
  const digest = callDigest({
    ...call,
    turn_id: turn.turn_id,
    call_id: call.id,
    preview_ref: previewRef,
    requester: turn.requester,
  });
  const card = approvalCard({
    tool: tool.name,
    version: tool.version,
    callId: call.id,
    digest,
    requester: turn.requester,
    agent: turn.agent,
    reason: request.reason,
    input,
    preview: preview.data,
    expiresAt: request.expires_at ?? '',
  });
  const cardRef = await deps.store.putPart(scope, { call_id: call.id, digest, card });
  return {
    ok: true,
    digest,
    preview_ref: previewRef,
    card: request.expires_at === null ? '' : card,
    card_ref: cardRef,
  };
}

type Preview = { ok: true; data: Json } | { ok: false; error: ReturnType<typeof callError> };

/** Read-only by contract: it may run again. */
async function previewOf(deps: Dependencies, { turn, call }: AdmitCallInput, tool: Tool, input: Json): Promise<Preview> {
  if (!tool.preview) return { ok: true, data: null };
  const result = await withPulse((show) => {
    const context = toolContext(deps, turn, {
      idempotencyKey: `preview_${call.id}`,
      attempt: Context.current().info.attempt,
      progress: (message) => show({ progress: { message, fraction: null } }),
    });
    const asTool = { ...tool, class: 'read' as const, run: tool.preview! };
    return runTool(asTool, input as never, context, {
      timeoutMs: PREVIEW_TIMEOUT,
      cancelled: Context.current().cancellationSignal,
    });
  });
  if (result.ok) return { ok: true, data: result.data };
  return {
    ok: false,
    error: { ...result.error, message: `The preview of ${tool.name} failed, so nobody was asked: ${result.error.message}` },
  };
}
