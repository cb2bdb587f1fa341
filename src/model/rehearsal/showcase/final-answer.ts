/** Writes the showcase's last answer: what each pack did, and what failed or was declined. */
import { isJsonObject, type Json, type JsonObject } from '../../../shared/json/json';
import type { Order } from '../analyst/order';
import { objects, type PastCall } from '../conversation';
import { failureKind, describeError, type FailureKind } from '../failure-kind';
import type { Ledger } from '../call-ledger';
import { findStatus } from './calls';
import { swap, tokens } from './chain';
import { documents, makeReport, notePath, swapQuote, weather } from './note';
import { PACKS, type Pack } from './packs';
import { attempts, findDecidedCall } from './plan';

export function closing(ledger: Ledger, order: Order): string {
  const texts: Record<Pack, string> = {
    finance: describeMemo(ledger, order),
    workspace: `${describeNote(ledger, order)} ${describeCommand(ledger)}`,
    onchain: `${swapQuote(ledger)} ${describeSwap(ledger)}`,
    reference: `${weather(ledger)} ${documents(ledger)} ${describeReport(ledger, order)}`,
  };
  const packs = Object.entries(texts).map(([pack, words]) => `- ${pack} (${tally(ledger, PACKS[pack as Pack])}): ${words}`);
  const failures = [...failedReads(ledger), ...attempts(ledger)].flatMap(({ name, result }) =>
    result.ok ? [] : [`- ${name} ${ENDS[failureKind(result.error)]} ${describeError(result.error)}`],
  );
  return [
    'This is a rehearsal, not a model. What the tools of each pack did:',
    packs.join('\n'),
    failures.length === 0 ? 'No call failed, and none was declined.' : `What did not come to be:\n${failures.join('\n')}`,
  ].join('\n\n');
}

const ENDS: Record<FailureKind, string> = {
  declined: 'was declined.',
  expired: 'was not decided on in time.',
  in_doubt: 'is in doubt, and I do not repeat it: a person has to find out.',
  failed: 'failed.',
};

/** `read_result` belongs to no pack. */
function tally(ledger: Ledger, names: readonly string[]): string {
  const calls = names.flatMap((name) => ledger.all(name));
  const successes = calls.filter(({ result }) => result.ok).length;
  return `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}, ${successes === calls.length ? 'all' : successes} succeeded`;
}

function failedReads(ledger: Ledger): PastCall[] {
  const last = new Set(attempts(ledger).map(({ name }) => name));
  return ledger.conversation.calls.filter(({ name, result }) => !result.ok && !last.has(name));
}

/** The result of a destructive call; undefined if it was not made, or did not succeed. */
function effect(ledger: Ledger, name: string): JsonObject | undefined {
  const result = findDecidedCall(ledger, name)?.result;
  if (!result?.ok) return undefined;
  return isJsonObject(result.data) ? result.data : {};
}

function describeMemo(ledger: Ledger, order: Order): string {
  const data = effect(ledger, 'send_credit_memo');
  if (data === undefined)
    return order.send ? `No memo on ${order.ticker} was sent.` : `As you asked, no memo on ${order.ticker} was sent.`;
  // The approver may have edited the recipient, so the result counts more than the call.
  const to = Array.isArray(data.accepted) && data.accepted.length > 0 ? data.accepted.join(', ') : order.recipient;
  return `The memo on ${order.ticker} was sent to ${to}${because(data.message_id, 'message id')}.`;
}

function describeNote(ledger: Ledger, order: Order): string {
  const path = notePath(order);
  const mark = objects(ledger.data(findStatus(path))?.matches).at(-1);
  return mark === undefined ? `There is no note at ${path}.` : `${path}, line ${String(mark.line)}: "${String(mark.text)}".`;
}

function describeCommand(ledger: Ledger): string {
  const output = effect(ledger, 'bash')?.output;
  if (typeof output !== 'string') return 'No command ran.';
  return `The command said "${output.trim().replace(/\s+/g, ' ').slice(0, 200)}".`;
}

function describeSwap(ledger: Ledger): string {
  const data = effect(ledger, 'swap_token');
  if (data === undefined)
    return swap(ledger) ? 'Nothing was swapped.' : 'Nothing was swapped: a quote or a session key was missing.';
  const [from, to] = tokens(ledger) ?? [];
  return `Swapped ${String(data.amount_in)} of ${from?.symbol} for ${String(data.amount_out)} of ${to?.symbol}${because(data.tx_hash, 'transaction')}.`;
}

function describeReport(ledger: Ledger, order: Order): string {
  const data = ledger.data(makeReport(ledger, order));
  if (data === undefined) return 'No report was made.';
  return `The report is ${String(data.filename)}, ${String(data.size)} bytes${because(data.ref, 'ref')}.`;
}

function because(value: Json | undefined, what: string): string {
  return typeof value === 'string' ? ` (${what} ${value})` : '';
}
