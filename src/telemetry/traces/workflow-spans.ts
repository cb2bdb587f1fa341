/** Writes the spans that workflows report by a sink (workflows/sandbox/trace.ts): turns, steps, calls, and waits for people. */
import type { Payload } from '@temporalio/common';
import type { WorkflowSpan } from '../../shared/io/turn';
import { CALL_WORKFLOW, MEMO_TRACE } from '../../workflows/contract';
import { optional } from '../../shared/json/optional';
import { callSpanId, parentOfCall, spanIdOf, turnSpanId, type TurnName } from './trace-ids';
import type { NamedSpan, Traces, TurnTrace } from './traces';

/** What Temporal tells a sink of its workflow. */
export interface WorkflowFacts {
  workflowId: string;
  firstExecutionRunId: string;
  workflowType: string;
  memo?: Record<string, unknown>;
}

/** For `Worker.create({ sinks })`. @param traces null: spans go nowhere */
export function traceSinks(traces: Traces | null) {
  const fn = (info: WorkflowFacts, span: WorkflowSpan, header: Payload | null) =>
    traces?.write(namedSpan(traces, info, span, header));
  return { holdfastTrace: { ended: { fn, callDuringReplay: false } } };
}

function namedSpan(traces: Traces, info: WorkflowFacts, span: WorkflowSpan, header: Payload | null): NamedSpan {
  const turn = { workflow_id: info.workflowId, first_execution_run_id: info.firstExecutionRunId };
  const trace = traces.turnTrace(header, String(info.memo?.[MEMO_TRACE] ?? ''));
  const { start, end, failure } = span;
  const attributes = { ...attributesOf(span), 'holdfast.workflow_id': info.workflowId };
  return {
    trace,
    spanId: idOf(turn, span),
    parentId: parentOf(turn, span, trace, info),
    name: nameOf(span),
    start,
    end,
    attributes,
    failure,
  };
}

function idOf(turn: TurnName, { kind, id }: WorkflowSpan): string {
  if (kind === 'turn') return turnSpanId(turn);
  return kind === 'call' ? callSpanId({ ...turn, call_id: id }) : spanIdOf(turn, kind, id);
}

function parentOf(turn: TurnName, { kind, id, parent, attributes }: WorkflowSpan, trace: TurnTrace, info: WorkflowFacts) {
  switch (kind) {
    case 'turn':
      return parent === undefined ? trace.spanId : callSpanId(parent);
    case 'step':
      return turnSpanId(turn);
    case 'call':
      return parentOfCall(turn, id, info.workflowType === CALL_WORKFLOW);
    case 'wait':
      return callSpanId({ ...turn, call_id: String(attributes.call) });
  }
}

function nameOf({ kind, id, subject, attributes }: WorkflowSpan): string {
  switch (kind) {
    case 'turn':
      return `invoke_agent ${subject}`;
    case 'step':
      return `step ${id}`;
    case 'call':
      return `execute_tool ${subject}`;
    case 'wait':
      return `wait for ${attributes.question === 'doubt' ? 'settlement' : attributes.question}`;
  }
}

/** By the conventions for generative AI where they have a name; our own begin with `holdfast.` */
function attributesOf({ kind, id, subject, attributes }: WorkflowSpan): Record<string, string | number | boolean> {
  const { input_tokens, output_tokens, session, tool_use_id, ...own } = attributes;
  const named = Object.fromEntries(Object.entries(own).map(([name, value]) => [`holdfast.${name}`, value]));
  switch (kind) {
    case 'turn':
      return {
        ...named,
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.name': subject,
        ...optional({
          'gen_ai.conversation.id': session,
          'gen_ai.usage.input_tokens': input_tokens,
          'gen_ai.usage.output_tokens': output_tokens,
        }),
      };
    case 'step':
      return { ...named, 'holdfast.step': Number(id) };
    case 'call':
      return {
        ...named,
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': subject,
        'gen_ai.tool.call.id': String(tool_use_id).slice(0, 100),
        'holdfast.call': id,
      };
    case 'wait':
      return { ...named, 'gen_ai.tool.name': subject };
  }
}
