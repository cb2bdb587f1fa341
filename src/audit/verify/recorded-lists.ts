/**
 * Lists of approval rules in a bundle: which entry applies to a call by the recorded rules (B12), and what it requires by the
 * agent's definition (B10, D4). docs/bundle-format.md, *Lists of approval rules*.
 */
import type { ApprovalList } from '../../rules';
import type { PolicyEntry } from '../../shared/approval/policy';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { list, object, text } from '../../record/fields';
import { hashOf } from './values';

/** Whether a policy is what a definition's list requires by the entry that the policy names. */
export function isOfList(approval: Json | undefined, of: Json | undefined): boolean {
  const { entry, ...policy } = object(approval);
  const { entries, otherwise = null, failed = null } = object(of);
  // Of a call that was refused before an entry was found.
  if (entry === undefined) return hashOf(policy) === hashOf(failed);
  const { index = null, when = null, result } = object(entry);
  const named = typeof index === 'number' ? object(list(entries)[index - 1]) : {};
  if ((named.when ?? null) !== when) return false;
  const required = result === 'none' ? otherwise : result === 'failed' ? failed : (named.approval ?? null);
  return (result === 'none') === (index === null) && hashOf(policy) === hashOf(required);
}

/** Whether the definition has the list that the rules have: the same conditions, and the same entries that allow. */
export function isSameList({ entries }: ApprovalList, of: Json | undefined): boolean {
  const own = entries.map(({ when, allow }) => ({ when, allow }));
  const defined = list(object(of).entries).map((entry) => {
    const { when = null, allow = null } = object(entry);
    return { when, allow };
  });
  return hashOf(own) === hashOf(defined);
}

/** Whether a recorded entry is the one that applies. One that failed then may not fail now: it had a time limit. */
export function isEntry(entry: Json | undefined, applies: PolicyEntry): boolean {
  const { index, when, result } = object(entry);
  if (result === 'failed') return true;
  return isJsonObject(entry) && index === applies.index && when === applies.when && result === applies.result;
}

/** Whether any of the entries takes signed decisions only. */
export function wantsSignatures(lists: Json | undefined): boolean {
  return Object.values(object(lists)).some((of) => object(object(of).failed).channel === 'attested');
}

/** The list of a tool in a definition's facts; undefined: it has none. */
export function listOf({ approval_lists }: JsonObject, tool: Json | undefined): Json | undefined {
  const lists = object(approval_lists);
  return Object.hasOwn(lists, text(tool)) ? lists[text(tool)] : undefined;
}
