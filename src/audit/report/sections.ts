/** Builds a turn's sections: who and when, timeline, calls, tokens and cost, messages, transcript, runs. */
import { list, object, text, textOrNull } from '../../record/fields';
import type { PassedModel } from '../../shared/io/activities';
import type { BlockCase, CallCase, TurnCase, Usage } from '../case-file';
import { callSection } from './call';
import { fileNodes } from './files';
import { code, facts, type Node, type Text } from './doc';
import type { TextLimits } from './text-limits';
import { narrate } from './narrative';
import { timeline } from './timeline';
import { between, costText, count, duration, name, pretty, quote, short, describeSignature, when } from './format-values';

const MOST_CALLS = 400;
const MOST_BLOCKS = 1500;
const MOST_MESSAGES = 300;

export function turnSection(turn: TurnCase, limits: TextLimits): Node {
  const ids = new Map(turn.calls.map((call) => [call, limits.id()]));
  const idOf = (call: CallCase) => ids.get(call)!;
  const calls = turn.calls.slice(0, MOST_CALLS);
  const narrative = narrate(turn, idOf);
  const more = turn.calls.length - calls.length;
  const part = (title: Text, body: Node[]): Node[] =>
    body.length === 0 ? [] : [{ is: 'section', id: limits.id(), title, body }];
  return {
    is: 'section',
    id: limits.id(),
    title: turn.parent
      ? `Turn ${name(turn.turnId)}, of the sub-agent that answers call ${name(turn.parent.callId)}`
      : `Turn ${name(turn.turnId)}`,
    body: [
      ...part('In short', [
        ...notice('Look at this first', narrative.look, 'warn'),
        { is: 'paragraph', text: narrative.request },
        ...notice('What was done', narrative.actions, turn.state === 'completed' ? 'plain' : 'warn'),
        ...notice('Who allowed it', narrative.approvals, 'plain'),
        ...notice('What is not known', narrative.unknown, narrative.unknown.length > 0 ? 'warn' : 'plain'),
      ]),
      ...part('Timeline', timeline(turn, limits, idOf)),
      ...part('Calls', [
        ...calls.map((call) => callSection(call, turn, idOf(call), limits)),
        ...(more > 0 ? [{ is: 'paragraph' as const, text: `${count(more, 'more call')} in the bundle.` }] : []),
      ]),
      ...part('Tokens and cost', cost(turn)),
      ...part('Messages from people', messages(turn, limits)),
      ...part('Files', fileNodes(turn)),
      ...part('Transcript', transcript(turn, limits)),
      ...part('Particulars', particulars(turn)),
    ],
  };
}

function notice(title: string, items: Text[], tone: 'plain' | 'warn'): Node[] {
  return items.length === 0 ? [] : [{ is: 'notice', tone, title, items }];
}

function cost({ steps, usage, direct }: TurnCase): Node[] {
  if (direct) return [{ is: 'paragraph', text: 'A direct call: no model was asked.' }];
  const rows = steps
    .slice(0, MOST_CALLS)
    .map(({ step, model, origin, passed, usage: of, activity, stopReason, requestId, takenBack }): Text[] => [
      `${step}${takenBack ? ' (taken back)' : ''}`,
      name(model ?? 'unknown'),
      origin === null ? '' : name(`${origin.model} (${origin.provider})`),
      passed.map(passedText).join('; '),
      duration(between(activity?.startedAt ?? null, activity?.endedAt ?? null)),
      String(Math.max(activity?.attempts ?? 1, 1)),
      ...tokens(of),
      stopReason === null ? '' : name(stopReason),
      requestId === null ? '' : code(requestId),
    ]);
  const head = [
    'step',
    'model',
    'asked as',
    'not taken by',
    'took',
    'attempts',
    'in',
    'out',
    'from cache',
    'into cache',
    'cost',
    'ended with',
    'request',
  ];
  return [
    { is: 'table', caption: 'Model requests', head, rows: [...rows, ['all', '', '', '', '', '', ...tokens(usage), '', '']] },
  ];
}

function passedText({ model, reason, attempts }: PassedModel): string {
  const why = reason === 'down' ? 'not asked: it had just failed' : `${reason}, ${count(attempts, 'attempt')}`;
  return `${name(model)} (${name(why)})`;
}

function tokens({ inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens, ...costs }: Usage): string[] {
  return [inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens].map(String).concat(costText(costs));
}

function messages({ messages: all, ignored }: TurnCase, limits: TextLimits): Node[] {
  const rows = all
    .slice(0, MOST_MESSAGES)
    .map(({ at, channel, name: what, body, identity, accepted, answer }): Text[] => [
      when(at),
      `${channel} ${name(what)}`,
      identity === null ? '' : name(identity),
      body === null ? 'left out, or unreadable' : quote(limits.cut(JSON.stringify(body), 1000), 1000),
      accepted === null ? '' : accepted ? 'accepted' : `refused: ${quote(answer ?? '')}`,
    ]);
  const last = ignored.last.map(
    ({ at, signal, reason, identity }): Text =>
      `${when(textOrNull(at))}: ${name(text(signal))}${text(identity) ? `, sent as ${name(text(identity))}` : ''}: ${quote(text(reason))}`,
  );
  return [
    ...(rows.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            caption: 'What was sent to the turn',
            head: ['time', 'what', 'sent as', 'content', 'answer'],
            rows,
          },
        ]),
    ...(all.length > rows.length
      ? [{ is: 'paragraph' as const, text: `${count(all.length - rows.length, 'more message')} in the bundle.` }]
      : []),
    ...(last.length === 0
      ? []
      : [
          { is: 'paragraph' as const, text: `Changed nothing (${ignored.count} in all; the last):` },
          { is: 'list' as const, items: last },
        ]),
  ];
}

function transcript({ transcript: all }: TurnCase, limits: TextLimits): Node[] {
  const own = all.filter(({ own: mine }) => mine);
  const before = all.filter(({ own: mine, kind }) => !mine && kind === 'message');
  const shownBlocks = own.slice(0, MOST_BLOCKS);
  return [
    ...(before.length === 0
      ? []
      : [
          {
            is: 'fold' as const,
            id: limits.id(),
            title: `The conversation before: ${count(before.length, 'message')}`,
            open: false,
            body: before.slice(-200).map((block) => blockNode(block, limits)),
          },
        ]),
    ...shownBlocks.map((block) => blockNode(block, limits)),
    ...(own.length > shownBlocks.length
      ? [{ is: 'paragraph' as const, text: `${count(own.length - shownBlocks.length, 'more block')} in the bundle.` }]
      : []),
  ];
}

function blockNode({ kind, at, ref, bodies, read, own, onChain, signature }: BlockCase, limits: TextLimits): Node {
  const role = read?.kind === 'message' ? read.role : null;
  const branchNote = own && !onChain ? '; on a branch that a reset has left' : '';
  const title = `${role === null ? kindName(kind) : `message of the ${name(role)}`}, ${when(at)} (block ${short(ref)}${branchNote})`;
  const parts = kind === 'message' ? bodies.slice(1) : bodies;
  const steerNodes = describeSteer(read, signature);
  const quotes = parts.map((body): Node =>
    body === null
      ? { is: 'paragraph', text: 'A part that was left out, or is too large to show.' }
      : limits.quote(partName(body), partText(body)),
  );
  return { is: 'fold', id: limits.id(), title, open: role !== null, body: [...steerNodes, ...quotes] };
}

function kindName(kind: string): string {
  return kind === 'start' ? 'beginning' : name(kind);
}

/** The sender of a message to the running turn. */
function describeSteer(read: BlockCase['read'], signature: BlockCase['signature']): Node[] {
  const by = read?.kind === 'message' ? read.steer?.by : undefined;
  if (!by) return [];
  return [{ is: 'paragraph', text: `Said to the running turn by ${name(by)} (${describeSignature(signature)}).` }];
}

function partName(body: BlockCase['bodies'][number]): string {
  const { type, name: tool, is_error } = object(body);
  if (type === 'text') return 'text';
  if (type === 'tool_use') return `asks for ${name(text(tool))}`;
  if (type === 'tool_result') return is_error === true ? 'result: an error' : 'result';
  return type === undefined ? 'part' : name(text(type));
}

function partText(body: BlockCase['bodies'][number]): string {
  const { type, text: textValue, input, content } = object(body);
  if (type === 'text' && typeof textValue === 'string') return textValue;
  if (type === 'tool_use') return pretty(input ?? null);
  if (type === 'tool_result' && Array.isArray(content))
    return list(content)
      .map((piece) => textOrNull(object(piece).text) ?? pretty(piece))
      .join('\n');
  return pretty(body ?? null);
}

function particulars(turn: TurnCase): Node[] {
  const { limits } = turn;
  const runs = turn.runs.map(({ runId, began, startedAt, endedAt, ended, events, reason, by }): Text[] => [
    code(runId),
    name(began),
    when(startedAt),
    endedAt === null ? '' : when(endedAt),
    `${ended === null ? 'has not ended' : name(ended)}${by ? `, by ${name(by)}` : ''}${reason ? `: ${quote(reason)}` : ''}`,
    String(events),
  ]);
  return [
    ...facts([
      ['turn', code(turn.turnId)],
      ['workflow', code(turn.workflowId)],
      ['agent', name(turn.agent)],
      ['model', turn.model && name(turn.model)],
      ['asked by', `${name(turn.requester)} (${describeSignature(turn.startSignature)})`],
      ['session', turn.sessionId && name(turn.sessionId)],
      ['trace', turn.traceId && code(turn.traceId)],
      ['began', when(turn.startedAt)],
      ['ended', turn.endedAt ? when(turn.endedAt) : 'it has not, as far as the bundle tells'],
      ['definition of the agent', turn.definitionRef && code(turn.definitionRef)],
      ['rules', turn.policyRef && code(turn.policyRef)],
      ['limits', limits && code(JSON.stringify(limits))],
      ['head of the transcript', turn.head && code(turn.head)],
      ['record', turn.complete ? 'complete' : `not complete: ${name(turn.why ?? '')}`],
    ]),
    ...(runs.length === 0
      ? []
      : [
          {
            is: 'table' as const,
            caption: 'Runs of the workflow',
            head: ['run', 'began as', 'began', 'ended', 'how', 'events'],
            rows: runs,
          },
        ]),
  ];
}
