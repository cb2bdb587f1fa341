/**
 * Compares the recorded calls of a turn with what other rules, limits and approver policies would have decided. No tool runs: rules
 * decide on the facts that admission recorded. Facts that the bundle lacks are not guessed.
 */
import {
  approvalFaults,
  approvalPolicyOf,
  compileApprovalLists,
  permissionFaults,
  withDefaults,
  type ApprovalSettings,
  type Policy,
} from '../../rules';
import { isFrom } from '../../shared/turn/tool-class';
import type { OuterMode } from '../../shared/turn/sub-turn';
import type { CallCase, CaseFile, TurnCase, Usage } from '../case-file/types';
import { answerUnder } from './approvals';
import { mergeLimits, recordedLimits, stopUnder } from './limits';
import { recordedAgent, recordedLists, recordedRules, type Objects, type RecordedAgent } from '../recorded-rules';
import { outer, recordedOuterModes } from './outer-modes';
import { policyOf, wouldDecide, wouldRequire, type Ruling } from './rules';
import { ProposalError, type CallDiff, type CallDecision, type Proposal, type Stop, type TurnDiff, type WhatIf } from './types';
import { hiddenCalls, recordedDecision } from './recorded-outcome';

/** @throws ProposalError that lists every fault */
export function whatIf(file: CaseFile, proposal: Proposal): WhatIf {
  const agent = proposal.agent ?? file.turns[0]?.agent ?? '';
  const turns = file.turns.filter((turn) => turn.agent === agent);
  if (turns.length === 0)
    throw new ProposalError(`The bundle has no turn of agent ${JSON.stringify(agent)}; it has: ${agentsOf(file) || 'none'}.`);
  const faults = turns.flatMap((turn) => faultsOf(file, turn, proposal));
  if (faults.length > 0)
    throw new ProposalError(`The proposal does not fit agent ${agent}:\n- ${[...new Set(faults)].join('\n- ')}`);
  return new Comparison(file, { ...proposal, agent }).all();
}

/** The worker's settings are not part of a proposal. */
const PLAIN: ApprovalSettings = { channel: 'any', notify: false };

function agentsOf({ turns }: CaseFile): string {
  return [...new Set(turns.map(({ agent }) => agent))].join(', ');
}

/** After a deploy and a reset the turn goes on under another definition of its agent: its tools are added. */
function agentOf(objects: Objects, { definitionRef }: TurnCase): RecordedAgent | null {
  const agent = recordedAgent(objects.get(definitionRef ?? ''));
  if (agent === null) return null;
  const others = [...objects.values()].map(recordedAgent).filter((other) => other?.name === agent.name);
  return { ...agent, tools: [agent, ...others].flatMap((one) => one?.tools ?? []) };
}

/** Faults of the proposal, such as rules about tools that the agent did not have. */
function faultsOf({ objects }: CaseFile, { definitionRef }: TurnCase, { permissions, approvals }: Proposal): string[] {
  const agent = recordedAgent(objects.get(definitionRef ?? ''));
  if (agent === null) return [];
  const later = (name: string) => isFrom(agent.servers, name);
  return [
    ...(permissions === undefined ? [] : permissionFaults(withDefaults(permissions), agent.tools, later)),
    ...approvalFaults(approvals, agent.tools, agent.servers),
  ];
}

/** The result of a turn under the proposal, for the turns of its sub-agents. */
interface Fate {
  /** By call id: why the call would not have started a sub-agent's turn. */
  dropReasons: Map<string, string>;
  /** Modes that bind the turns below: under the proposal, and (`before`) as recorded. */
  within: OuterMode[];
  before: OuterMode[];
}

class Comparison {
  private readonly fates = new Map<string, Fate>();

  constructor(
    private readonly file: CaseFile,
    private readonly proposal: Proposal & { agent: string },
  ) {}

  all(): WhatIf {
    const turns = this.file.turns.map((turn) => this.turn(turn));
    const calls = turns.flatMap((turn) => turn.calls);
    const hiddenCount = turns.reduce((sum, turn) => sum + turn.hidden, 0);
    const unknownEnds = turns.filter(({ wouldStop, differs }) => wouldStop === 'cannot_tell' && !differs);
    return {
      agent: this.proposal.agent,
      turns,
      differences: calls.filter(({ differs }) => differs).length + turns.filter(({ differs }) => differs).length,
      unknown: calls.filter(({ would }) => would.outcome === 'cannot_tell').length + unknownEnds.length + hiddenCount,
    };
  }

  private turn(turn: TurnCase): TurnDiff {
    const above = turn.parent ? this.fates.get(turn.parent.turnId) : undefined;
    const dropReason = turn.parent ? above?.dropReasons.get(turn.parent.callId) : undefined;
    const { wasStopped, wouldStop } = this.stops(turn);
    const { ruling, within, before } = this.ruling(turn, above);
    const calls: CallDiff[] = [];
    let firstDifference = Infinity;
    for (const call of turn.calls) {
      const original = recordedDecision(call);
      const would =
        dropReason !== undefined
          ? notReached(dropReason)
          : (decideByStop(call, wouldStop) ?? this.would(turn, call, original, ruling));
      const differs = would.outcome !== 'cannot_tell' && (would.outcome !== original.outcome || would.answer !== original.answer);
      const { id: callId, revision, tool, version, class: toolClass, step } = call;
      calls.push({
        callId,
        revision,
        tool,
        version,
        class: toolClass,
        was: original,
        would,
        differs,
        afterDifference: step > firstDifference,
      });
      if (differs) firstDifference = Math.min(firstDifference, step);
    }
    const dropReasons = new Map(
      calls.filter(({ would, was }) => isDropped(would) && !isDropped(was)).map(({ callId, would }) => [callId, would.reason]),
    );
    this.fates.set(turn.turnId, { dropReasons, within, before });
    const differs =
      wouldStop !== 'cannot_tell' && wasStopped !== 'cannot_tell' && wouldStop?.beforeStep !== wasStopped?.beforeStep;
    return { turnId: turn.turnId, agent: turn.agent, wasStopped, wouldStop, differs, calls, hidden: hiddenCalls(turn) };
  }

  /** `ruling` is null if the proposal changes neither the turn's own rules nor the modes above it. */
  private ruling(turn: TurnCase, above: Fate | undefined): { ruling: Ruling | null; within: OuterMode[]; before: OuterMode[] } {
    const { objects } = this.file;
    const originalRules = recordedRules(objects, turn.policyRef);
    const before = above?.before ?? recordedOuterModes(turn);
    const within = above?.within ?? before;
    const { permissions, approvals } = turn.agent === this.proposal.agent ? this.proposal : {};
    const agent = agentOf(objects, turn);
    const rules = permissions === undefined ? originalRules : withDefaults(permissions);
    const originalLists = recordedLists(objects, turn.policyRef, agent?.lists ?? {});
    const lists = approvals === undefined ? originalLists : compileApprovalLists(approvals, PLAIN);
    const hasLists = approvals !== undefined && (lists?.size !== 0 || originalLists?.size !== 0);
    const hasChanges =
      permissions !== undefined || hasLists || [...new Set(within)].sort().join() !== [...new Set(before)].sort().join();
    const ruling = hasChanges && {
      policy: policyOf(rules, within, lists),
      before: policyOf(originalRules, before, originalLists),
      agent,
    };
    const down = (modes: OuterMode[], own: Policy['mode'] | undefined) => [...modes, ...(own === undefined ? [] : outer(own))];
    return { ruling: ruling || null, within: down(within, rules?.mode), before: down(before, originalRules?.mode) };
  }

  private would(turn: TurnCase, call: CallCase, original: CallDecision, ruling: Ruling | null): CallDecision {
    const decision = ruling === null ? original : wouldDecide(call, original, ruling);
    const { approvals, agent } = this.proposal;
    if (approvals === undefined || turn.agent !== agent) return decision;
    if (decision.outcome !== 'asked' || original.outcome !== 'asked') return decision;
    if (original.answer === 'superseded' || original.answer === 'cancelled') return decision;
    if (call.question === null)
      return { outcome: 'cannot_tell', answer: null, reason: 'the bundle does not have what people were asked' };
    const hasList = Array.isArray(approvals.tools?.[call.tool]);
    const policy = hasList ? ruling && wouldRequire(call, ruling) : approvalPolicyOf(approvals, call.tool, PLAIN);
    if (policy === null)
      return {
        outcome: 'cannot_tell',
        answer: null,
        reason: 'the bundle does not have what the entries of the approvals look at',
      };
    return { outcome: 'asked', ...answerUnder(policy, call, turn.requester) };
  }

  /** Only for an agent's own turns: what the turn above left for a sub-agent's turn is not computed again. */
  private stops(turn: TurnCase): Pick<TurnDiff, 'wasStopped' | 'wouldStop'> {
    const { limits, agent } = this.proposal;
    if (limits === undefined || turn.agent !== agent || turn.parent !== null || turn.direct)
      return { wasStopped: null, wouldStop: null };
    const below = this.below(turn.turnId);
    const originalLimits = recordedLimits(turn);
    const wasStopped = originalLimits === null ? 'cannot_tell' : stopUnder(turn, below, onlyThose(originalLimits, limits));
    return { wasStopped, wouldStop: stopUnder(turn, below, onlyThose(mergeLimits(originalLimits, limits), limits)) };
  }

  /** Usage of the sub-agents' turns, by the step that started each, with the turns below them. */
  private below(turnId: string): { step: number; steps: number; usage: Usage }[] {
    const children = this.file.turns.filter(({ parent }) => parent?.turnId === turnId);
    return children.map(({ turnId: id, parent, steps, usage }) => ({
      step: Number.parseInt(parent!.callId, 10),
      steps: this.below(id).reduce((sum, one) => sum + one.steps, steps.length),
      usage,
    }));
  }
}

/** Drops the limits that are not proposed: the turn was recorded under them. */
function onlyThose<T extends { steps: number; tokens: number; costUsd: number }>(all: T, changes: object): T {
  const entries = Object.entries(all).map(([name, limit]) => [name, Object.hasOwn(changes, name) ? limit : Infinity]);
  return Object.fromEntries(entries) as T;
}

function decideByStop({ step }: CallCase, stop: TurnDiff['wouldStop']): CallDecision | null {
  return isStop(stop) && step >= stop.beforeStep
    ? notReached(`the turn would have ended before step ${stop.beforeStep}: ${stop.reason}`)
    : null;
}

function isStop(stop: TurnDiff['wouldStop']): stop is Stop {
  return stop !== null && stop !== 'cannot_tell';
}

function notReached(reason: string): CallDecision {
  return { outcome: 'not_reached', answer: null, reason };
}

/** The call starts no sub-agent's turn. */
function isDropped({ outcome, answer }: CallDecision): boolean {
  return outcome === 'refused' || outcome === 'not_reached' || answer === 'denied' || answer === 'expired';
}
