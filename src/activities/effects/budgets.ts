/**
 * Budgets of an agent, for one call: reserved right before the effect, settled with the outcome in its effect record.
 * A settlement that fails does not fail the call: the reservation counts until its window ends, and when a budget is exhausted,
 * its open reservations are compared with the effect records.
 */
import type { TurnContext } from '../../shared/io/activities';
import { plainName } from '../../shared/approval/approval';
import type { BudgetName, BudgetSettlement, DispatchKey, Reservation } from '../../shared/budget-book';
import { callError, type CallError } from '../../shared/wire/errors';
import { timeLimitOf } from '../../shared/turn/tool-class';
import type { EffectRecord } from '../../record/effect';
import { budgetsFor, type Budget, type ToolBudget } from '../../tools/limits/budgets';
import { turnFacts } from '../admission/decide-call';
import type { Dependencies } from '../ports';
import type { CallContext } from '../call/call-context';
import { BEGINS_WITHIN_MS, keyOf, type ClosedEffect } from './effect-record';
import type { ApprovalEvidence } from '../../record/parts';
import type { HoldAnswer } from '../checks/recheck-approvals';
import type { Tool } from '../../tools/define/tool';
import { errorMessage } from '../../shared/text/error-message';

/** Longest time between a reservation and the claim, ms: the wait for the tool's limits. */
const BEFORE_CLAIM_MS = 10_000;

/** Reserves in every budget that names the tool, or in none. */
export async function withinBudgets(
  { deps, request, turn, call, tool, input }: CallContext,
  { held: acceptedReasons }: ApprovalEvidence,
): Promise<HoldAnswer> {
  const budgets = deps.registry.forTurn(turn)!.budgets(tool);
  if (budgets.length === 0) return null;
  const key = keyOf(turn, call);
  const record = await deps.store.effects.latest(key);
  const again = isOpen(record);
  const common = {
    key,
    dispatch: again ? record.dispatch : call.dispatch,
    proven: record?.state === 'not_applied' ? record.dispatch : 0,
    lasts_ms: BEFORE_CLAIM_MS + BEGINS_WITHIN_MS + timeLimitOf(tool),
  };
  for (const [index, budget] of budgets.entries()) {
    const amount = await budget.amount(input, turnFacts(turn, call.id, request.untrusted ?? false));
    // Only a budget with `exhausted: ask` can have been approved; any other evidence is forged.
    const isApproved =
      budget.exhausted === 'ask' && acceptedReasons.some(({ kind, id }) => kind === 'budget' && id === budget.name);
    const answer =
      typeof amount !== 'string'
        ? notMeasured(tool, budget, amount.error)
        : await reserveBudget(deps, nameOf(turn, tool.name, budget), budget, {
            ...common,
            amount,
            cap: budget.cap,
            window_ms: budget.windowMs,
            accepted: isApproved || again,
          });
    if (!answer) continue;
    for (const earlier of again ? [] : budgets.slice(0, index))
      await deps.budgets.settle(nameOf(turn, tool.name, earlier), { ...common, outcome: 'not_applied' });
    return answer;
  }
  return null;
}

/** Releases what a call reserved that is not dispatched now. @throws Error if a budget cannot be reached: its reservation stays */
export async function giveBack({ deps, turn, call }: CallContext, record: EffectRecord | null): Promise<void> {
  if (isOpen(record)) return; // an earlier dispatch holds the reservation
  await settle(deps, { turn, call, key: keyOf(turn, call), dispatch: call.dispatch, effect: 'not_applied' });
}

/** Never throws. */
export async function settleBudgets(deps: Dependencies, closedEffect: ClosedEffect): Promise<void> {
  try {
    await settle(deps, closedEffect);
  } catch (error) {
    const { turn, call, effect } = closedEffect;
    const todo = 'nothing: the reservation counts until its window ends, or until the budget is exhausted and checks it';
    const reason = errorMessage(error);
    deps.log.warn(
      { turn_id: turn.turn_id, call: call.id, digest: call.digest, effect, reason, todo },
      'a budget was not settled',
    );
  }
}

async function settle(deps: Dependencies, { effect: outcome, ...dispatch }: ClosedEffect): Promise<void> {
  await tellBudgets(deps, dispatch, { outcome });
}

/**
 * What a pending call reserved counts until it has ended.
 * @param until ms since 1970. @throws Error if a budget cannot be reached
 */
export async function reserveUntil(deps: Dependencies, dispatch: Omit<ClosedEffect, 'effect'>, until: number): Promise<void> {
  await tellBudgets(deps, dispatch, { outcome: 'pending', until });
}

async function tellBudgets(
  deps: Dependencies,
  { turn, call, key, dispatch }: Omit<ClosedEffect, 'effect'>,
  what: Pick<BudgetSettlement, 'outcome' | 'until'>,
): Promise<void> {
  const budgets = budgetsFor(deps.registry.forTurn(turn)?.agent.budgets, { name: call.tool, class: call.class });
  await Promise.all(budgets.map((budget) => deps.budgets.settle(nameOf(turn, call.tool, budget), { key, dispatch, ...what })));
}

/** Null: the amount is reserved. */
async function reserveBudget(
  deps: Dependencies,
  name: BudgetName,
  budget: ToolBudget,
  reservation: Reservation,
): Promise<HoldAnswer> {
  if (reservation.amount === '0') return null;
  let answer = await deps.budgets.reserve(name, reservation);
  if (!answer.granted && (await settleStaleReservations(deps, name, answer.open)))
    answer = await deps.budgets.reserve(name, reservation);
  if (answer.granted) return null;
  const { amount, cap } = reservation;
  const scope = name.of === '' ? `per ${name.per}` : `per ${name.per}, here ${name.of}`;
  const state = `budget ${name.budget} (${scope}, window ${budget.windowMs} ms) has ${answer.used} of ${cap} used, and this call needs ${amount}`;
  const frees =
    answer.frees_at === null
      ? 'Waiting does not help: the call needs more than the whole cap.'
      : `Enough is free again at ${new Date(answer.frees_at).toISOString()}.`;
  if (budget.exhausted === 'ask') {
    const text = `The call exceeds a budget: ${state}. ${frees}\nAn approval lets this call exceed this budget.`;
    return { kind: 'budget', id: budget.name, text: text.slice(0, 4000) };
  }
  const hint = `Nothing was done. ${frees} Do not split the call to pass: go on without it, or tell the user.`;
  return { refused: callError('QUOTA_EXCEEDED', 'budget_exhausted', `It was not run: ${state}.`, { hint }) };
}

/** Settles reservations that a crash left open, by their effect records. True: an amount was released. */
async function settleStaleReservations(deps: Dependencies, name: BudgetName, open: DispatchKey[]): Promise<boolean> {
  let hasFreed = false;
  for (const { key, dispatch } of open) {
    const record = await deps.store.effects.latest(key);
    const outcome = record && outcomeOf(record, dispatch);
    if (!outcome) continue;
    await deps.budgets.settle(name, { key, dispatch, outcome });
    hasFreed ||= outcome === 'not_applied';
  }
  return hasFreed;
}

/** Null: unknown, or not begun. A later dispatch proves that this one had no effect. */
function outcomeOf({ dispatch, state }: EffectRecord, dispatchNumber: number): 'applied' | 'not_applied' | null {
  if (dispatch !== dispatchNumber) return dispatch > dispatchNumber ? 'not_applied' : null;
  if (state === 'applied') return 'applied';
  return state === 'not_applied' || state === 'refused' ? 'not_applied' : null;
}

function notMeasured(tool: Tool, { name }: ToolBudget, error: string): { refused: CallError } {
  const message = `${tool.name} was not run: the amount that it needs of budget ${name} could not be computed: ${error}.`;
  return {
    refused: callError('QUOTA_EXCEEDED', 'not_measured', message, { hint: 'Check the input; if it is right, tell the user.' }),
  };
}

/** A claim without a final outcome; an idempotent call is dispatched again under it. */
function isOpen(record: EffectRecord | null): record is EffectRecord {
  return record !== null && record.state !== 'not_applied';
}

function nameOf(turn: TurnContext, tool: string, { name: budget, per }: Pick<Budget, 'name' | 'per'>): BudgetName {
  const of = {
    agent: '',
    session: turn.session_id ?? turn.turn_id,
    principal: plainName(turn.requester),
    tool,
  }[per];
  return { agent: turn.agent, budget, per, of };
}
