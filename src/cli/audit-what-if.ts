/**
 * `holdfast audit what-if`: shows which calls of a recorded turn other rules, limits or approvers would have let through. Runs
 * nothing. With another model or prompt: audit-ask-anew.ts.
 */
import { createReadStream } from 'node:fs';
import type { Command } from 'commander';
import { readCaseFile } from '../audit/case-file';
import {
  readProposal,
  whatIf,
  whatIfView,
  type CallDiff,
  type CallDecision,
  type Proposal,
  type ProposalText,
  type TurnDiff,
  type WhatIf,
} from '../audit/what-if';
import type { AnewOptions } from './audit-ask-anew';
import { oneLine } from './support/describe';
import { Exit, UsageError } from './support/exit';
import { moreThanZero } from './support/numbers';
import type { Output } from './support/output';
import { errorMessage } from '../shared/text/error-message';

/** As in `diff`: 1 if something differs. */
const DIFFERS = 1;
const CANNOT_TELL = 3;

export function auditWhatIf(audit: Command, output: () => Output): void {
  audit
    .command('what-if')
    .description(
      'Applies other rules, limits or approvers to a recorded turn, and prints which calls would have been allowed, asked or refused. Runs nothing. With --model or --prompt: asks the model anew, and answers its calls from the record. Exit 0: no difference; 1: something differs; 3: no known difference, but some calls cannot be told.',
    )
    .argument('<file>', 'the bundle')
    .option('--rules <file>', "YAML or JSON file of permission rules instead of the agent's")
    .option('--limits <json>', 'other limits: {"steps": 10, "tokens": 200000, "cost_usd": 1}, any of them')
    .option('--approvals <file>', 'YAML or JSON file of another approver policy: {quorum: 2, roles: [treasurer]}')
    .option('--model <name>', 'ask the turn anew with this model, its calls answered from the record; costs what the model costs')
    .option('--prompt <file>', 'ask the turn anew with this text as the whole prompt')
    .option('--app <file>', 'with --model or --prompt: the module whose default export is defineApp({…}), for its models')
    .option('--max-usd <usd>', 'with --model or --prompt: ask nothing more after so many US dollars', moreThanZero)
    .option('--agent <name>', "whose; default: the agent of the bundle's first turn")
    .option('--all', 'show calls that stay the same too')
    .action(async (file: string, options: ProposalText & AnewOptions & { all?: boolean }) => {
      if (isAnew(options)) {
        // Commands that only read a bundle load nothing that could act.
        const { auditAskAnew } = await import('./audit-ask-anew.js');
        return auditAskAnew(file, options, output());
      }
      const proposal = parseProposal(options);
      const comparison = await compareFile(file, proposal);
      output().answer(whatIfView(comparison.answer), [...lines(comparison.answer, options.all === true), ...comparison.notes]);
      const { differences, unknown } = comparison.answer;
      if (differences > 0) throw new Exit(DIFFERS);
      if (unknown > 0 || comparison.notes.length > 0) throw new Exit(CANNOT_TELL);
    });
}

/** @throws UsageError for options that say both */
function isAnew({ model, prompt, app, maxUsd, rules, limits, approvals }: ProposalText & AnewOptions): boolean {
  const anew = model ?? prompt;
  if (anew === undefined && (app ?? maxUsd) !== undefined)
    throw new UsageError('--app and --max-usd go with --model or --prompt.');
  if (anew !== undefined && (rules ?? limits ?? approvals) !== undefined)
    throw new UsageError('Rules, limits and approvals decide on the recorded calls: compare them without --model and --prompt.');
  return anew !== undefined;
}

function parseProposal(options: ProposalText): Proposal {
  try {
    return readProposal(options);
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

async function compareFile(file: string, proposal: Proposal): Promise<{ answer: WhatIf; notes: string[] }> {
  try {
    const read = await readCaseFile(createReadStream(file));
    const { fault } = read;
    const notes = fault
      ? [`The bundle cannot be read beyond line ${fault.n}: ${fault.reason}. What follows was not looked at.`]
      : [];
    return { answer: whatIf(read, proposal), notes };
  } catch (error) {
    throw new UsageError(errorMessage(error));
  }
}

function lines({ agent, turns, differences, unknown }: WhatIf, all: boolean): string[] {
  const calls = turns.flatMap((turn) => turn.calls);
  const same = calls.filter(({ differs, would }) => !differs && would.outcome !== 'cannot_tell').length;
  return [
    ...turns.flatMap((turn) => turnLines(turn, all)),
    `${differences} differences for agent ${agent} and its sub-agents, ${same} calls the same, ${unknown} cannot be told. Nothing was run. Check the bundle itself with \`holdfast audit verify\`.`,
  ];
}

function turnLines(turn: TurnDiff, all: boolean): string[] {
  const calls = turn.calls.filter(({ differs, would }) => all || differs || would.outcome === 'cannot_tell');
  const stops =
    turn.differs || turn.wouldStop === 'cannot_tell'
      ? [`  ends: ${stopText(turn.wasStopped)} → ${stopText(turn.wouldStop)}`]
      : [];
  const hiddenLines =
    turn.hidden === 0 ? [] : [`  ? ${turn.hidden} calls of which the bundle has nothing: their admission was left out`];
  if (calls.length + stops.length + hiddenLines.length === 0) return [];
  return [`${oneLine(turn.turnId)}  agent ${oneLine(turn.agent)}`, ...stops, ...calls.flatMap(callLines), ...hiddenLines];
}

function callLines({ callId, revision, tool, version, was, would, differs, afterDifference }: CallDiff): string[] {
  const which = revision === 1 ? callId : `${callId} revision ${revision}`;
  const mark = differs ? '≠' : would.outcome === 'cannot_tell' ? '?' : '=';
  const late = afterDifference ? '  (after another difference: the model might not have asked for it)' : '';
  return [
    `  ${mark} ${oneLine(which)}  ${oneLine(`${tool}@${version}`)}: ${decidedText(was)} → ${decidedText(would)}${late}`,
    `      was: ${oneLine(was.reason, 300)}`,
    ...(would.reason === was.reason ? [] : [`      now: ${oneLine(would.reason, 300)}`]),
  ];
}

const WORDS: Record<CallDecision['outcome'], string> = {
  allowed: 'allowed',
  asked: 'asked',
  refused: 'refused',
  not_reached: 'not reached',
  cannot_tell: 'cannot tell',
};

function decidedText({ outcome, answer }: CallDecision): string {
  return answer === null ? WORDS[outcome] : `${WORDS[outcome]}, ${answer}`;
}

function stopText(stop: TurnDiff['wouldStop']): string {
  if (stop === null) return 'no such limit is reached';
  return stop === 'cannot_tell'
    ? 'cannot tell: the bundle does not have all that the limit counts'
    : `before step ${stop.beforeStep}, by ${stop.reason}`;
}
