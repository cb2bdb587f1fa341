/** What the keys of the inbox do. Keys that somebody types into a field, or with Ctrl, Alt or Cmd, do nothing here. */

export type KeyAction = 'next' | 'previous' | 'open' | 'select' | 'approve' | 'deny' | 'search' | 'help' | 'leave';

const KEYS: Record<string, KeyAction> = {
  ...{ j: 'next', ArrowDown: 'next', k: 'previous', ArrowUp: 'previous', Enter: 'open', o: 'open', x: 'select' },
  ...{ a: 'approve', d: 'deny', '/': 'search', '?': 'help', Escape: 'leave' },
};

interface KeyPress {
  key: string;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
  target: EventTarget | null;
}

/** @param single whether keys of one character count */
export function keyAction({ key, ctrlKey, altKey, metaKey, target }: KeyPress, single: boolean): KeyAction | null {
  if (ctrlKey || altKey || metaKey || !Object.hasOwn(KEYS, key)) return null;
  if (!single && key.length === 1) return null;
  const action = KEYS[key]!;
  const element = target instanceof HTMLElement ? target : null;
  if (element?.closest('input:not([type=checkbox]), textarea, select') && action !== 'leave') return null;
  // A link or a button under the focus does its own.
  if (action === 'open' && element?.closest('a, button, summary')) return null;
  return action;
}

export const KEY_HELP: { keys: string[]; does: string }[] = [
  { keys: ['j', '↓'], does: 'the next call' },
  { keys: ['k', '↑'], does: 'the call before' },
  { keys: ['Enter'], does: 'open the call' },
  { keys: ['x'], does: 'select the call' },
  { keys: ['a'], does: 'approve: the selected calls, else this one. Shown first, then confirmed' },
  { keys: ['d'], does: 'deny, in the same way' },
  { keys: ['/'], does: 'search' },
  { keys: ['Esc'], does: 'leave the search, select none' },
  { keys: ['?'], does: 'these keys' },
];
