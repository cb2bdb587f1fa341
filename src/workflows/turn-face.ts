/** What outsiders see of a running turn: the view, the search attributes, the cards in the Web UI. */
import { defineSearchAttributeKey } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes, workflowInfo } from '@temporalio/workflow';
import { cutBytes } from '../shared/cut';
import { inlineCode } from '../shared/visible';
import type { TurnInput } from '../shared/activity-io';
import type { TurnState, TurnView } from '../shared/turn-view';
import type { Desk } from './desk';
import type { TurnData } from './state';

const STATE = defineSearchAttributeKey('HoldfastState', 'KEYWORD');
const TOOL = defineSearchAttributeKey('HoldfastTool', 'KEYWORD_LIST');

export function turnView(input: TurnInput, data: TurnData, desk: Desk): TurnView {
  const info = workflowInfo();
  return {
    turn_id: input.turn_id,
    workflow_id: info.workflowId,
    run_id: info.runId,
    agent: input.agent,
    session_id: input.session_id,
    requester: input.requester,
    trace_id: input.trace_id,
    state: data.state,
    head: data.head,
    step: data.step,
    text: data.text,
    reason: data.reason,
    usage: data.usage,
    calls: data.calls,
    pending: desk.open().map((question) => question.digest),
    ignored_signals: data.ignored,
    started_at: data.started_at,
    ended_at: data.ended_at,
    ui_url: null,
  };
}

/** Brings state, search attributes and Current Details in line with what waits; writes only what changed. */
export function showState(data: TurnData, desk: Desk, ended: TurnState | null = null): void {
  const open = desk.open();
  const state = ended ?? (open.some((q) => q.kind === 'doubt') ? 'in_doubt' : open.length > 0 ? 'awaiting_approval' : 'running');
  const tools = [...new Set(open.map((question) => cutBytes(question.tool, 255)))].sort();
  if (state !== data.state || tools.join() !== desk.shownTools.join()) {
    upsertSearchAttributes([
      { key: STATE, value: state },
      { key: TOOL, value: tools },
    ]);
    desk.shownTools = tools;
  }
  data.state = state;
  setCurrentDetails(details(data, desk));
}

/**
 * The Web UI sends the details on in an address; from about 1 MB on it fails. This is counted as they
 * are sent: percent-encoded.
 */
const DETAILS_LIMIT = 500_000;

function details(data: TurnData, desk: Desk): string {
  const cards = desk.open().map((question) => question.card);
  if (cards.length === 0) return `**${data.state}**, step ${data.step}${data.reason ? `: ${inlineCode(data.reason)}` : ''}`;
  const shown: string[] = [];
  let length = 0;
  for (const card of cards) {
    length += encodeURIComponent(card.toWellFormed()).length;
    if (length > DETAILS_LIMIT) break;
    shown.push(card);
  }
  const rest = cards.length - shown.length;
  return shown.join('\n\n---\n\n') + (rest > 0 ? `\n\n---\n\n${rest} more calls wait; \`holdfast pending\` lists them.` : '');
}
