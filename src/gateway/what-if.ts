/**
 * Compares a recorded turn with a proposal from a request, in a thread that can be ended: the conditions of the proposal are
 * somebody's, and so is the input that they look at. The gateway's own thread serves everybody else meanwhile.
 */
import { join } from 'node:path';
import type { ProposalText, WhatIfView } from '../audit/what-if';
import { isToolError } from '../tools/define/errors';
import { defineJob } from '../tools/isolation/job';
import { inThread } from '../tools/isolation/pool';
import { errorMessage } from '../shared/text/error-message';
import { Refusal } from './http/errors';

interface Comparison {
  /** The bundle of the turn. */
  bundle: Uint8Array;
  proposal: ProposalText;
}

type ComparisonResult = { ok: true; view: WhatIfView } | { ok: false; fault: string };

/** Exported so that tests can shorten the time limit. */
export const LIMITS = {
  ms: 10_000,
  reason: 'what_if_too_slow',
  hint: 'Propose fewer or simpler conditions, or save the bundle and use `holdfast audit what-if`.',
};
const comparisonJob = defineJob<Comparison, Promise<ComparisonResult>>(
  join(__dirname, 'what-if'),
  'compare',
  'The comparison',
  LIMITS,
);

/** @throws Refusal for a proposal with faults, and for one that takes too long */
export async function whatIfInThread(comparison: Comparison, principal: string): Promise<WhatIfView> {
  const compared = await inThread(comparisonJob, comparison, { owner: principal }).catch((error: unknown) => {
    if (!isToolError(error)) throw error;
    const { code, reason, message, hint = LIMITS.hint } = error.detail;
    throw new Refusal({ code, reason, message, hint });
  });
  if (compared.ok) return compared.view;
  throw new Refusal({ code: 'INVALID_PARAMS', reason: 'bad_proposal', message: compared.fault });
}

/** Runs in a thread. */
export async function compare({ bundle, proposal }: Comparison): Promise<ComparisonResult> {
  const { parseProposal, ProposalError, whatIf, whatIfView } = await import('../audit/what-if/index.js');
  const { readCaseFile } = await import('../audit/case-file/index.js');
  const parsed = attempt(() => parseProposal(proposal));
  if (!parsed.ok) return parsed;
  const file = await readCaseFile([bundle]);
  const compared = attempt(
    () => whatIf(file, parsed.value),
    (error) => error instanceof ProposalError,
  );
  return compared.ok ? { ok: true, view: whatIfView(compared.value) } : compared;
}

/** @param isFault errors that say what is wrong with the proposal; default: all */
function attempt<T>(
  make: () => T,
  isFault: (error: unknown) => boolean = () => true,
): { ok: true; value: T } | { ok: false; fault: string } {
  try {
    return { ok: true, value: make() };
  } catch (error) {
    if (!isFault(error)) throw error;
    return { ok: false, fault: errorMessage(error) };
  }
}
