/** A turn that was asked anew as JSON, for the command line: names in snake_case. */
import type { AnewCall, AnewEnd, AskedAnew, RecordedRef, TurnSide } from './types';

export function askedAnewView({ turnId, agent, otherPrompt, was, now, calls, notMade, ...rest }: AskedAnew) {
  const { sameOrder, sameAnswer, differs, notes } = rest;
  return {
    turn_id: turnId,
    agent,
    differs,
    other_prompt: otherPrompt,
    was: { ...sideView(was), state: was.state },
    now: { ...sideView(now), end: endView(now.end) },
    calls: calls.map(callView),
    not_made: notMade.map(recordedView),
    same_order: sameOrder,
    same_answer: sameAnswer,
    notes,
  };
}

function sideView({ model, steps, costUsd, inputTokens, outputTokens, answer }: TurnSide) {
  return { model, steps, cost_usd: costUsd, input_tokens: inputTokens, output_tokens: outputTokens, answer };
}

function endView(end: AnewEnd) {
  return end.how === 'left_record' ? { how: end.how, call_id: end.call, reason: end.reason } : end;
}

function callView({ callId, tool, input, answeredBy, reason, nearest }: AnewCall) {
  return {
    call_id: callId,
    tool,
    input,
    answered_by: answeredBy && recordedView(answeredBy),
    reason,
    nearest: nearest && recordedView(nearest),
  };
}

function recordedView({ callId, tool, class: toolClass, input, state }: RecordedRef) {
  return { call_id: callId, tool, class: toolClass, input, state };
}
