/**
 * Parses the paths that tools take: `/`-separated from the workspace's root, with or without a leading `/`. One file has one
 * spelling, so that another spelling cannot bypass a rule that names it. Pure: `directory.ts` checks later what really exists, and
 * trusts nothing of this.
 */
import { type CheckFault, ToolError, visible } from 'holdfast/tools';

export const LONGEST_PATH = 1024;
const LONGEST_NAME_BYTES = 255;
const DEEPEST = 64;
/** Characters that look like a separator; compatibility forms of others are found by normalisation. */
const LIKE_SLASH = /[\u2044\u2215\u29F8\u29F5\u2216]/;
const HOME = /^(?:~[^/]*|\$HOME|\$\{HOME\})(?:\/|$)/;

/** Names from the root down; none for the root itself. */
export type Names = readonly string[];

/** @throws ToolError INVALID_PARAMS `bad_path` that says what to write instead */
export function namesOf(path: string): Names {
  const fault = pathFault(path);
  if (fault) throw new ToolError('INVALID_PARAMS', fault.reason, fault.message, { hint: fault.hint });
  return split(path);
}

/** The one spelling: `/src/a.ts`; `/` for the root. Never throws: an invalid path keeps its text, and is refused elsewhere. */
export function normalizePath(path: string): string {
  return `/${split(path).join('/')}`;
}

export function joinNames(names: Names): string {
  return `/${names.join('/')}`;
}

/** What is wrong with a path, or undefined. Used as the tools' own admission check. */
export function pathFault(path: string): CheckFault | undefined {
  const fault = (why: string, hint: string): CheckFault => ({
    reason: 'bad_path',
    message: `${JSON.stringify(visible(path.slice(0, 200)))} is not a path of the workspace: ${why}.`,
    hint,
  });
  const fromRoot = 'Write it from the workspace root, e.g. /src/a.ts.';
  if (path.length > LONGEST_PATH) return fault(`it is longer than ${LONGEST_PATH} characters`, fromRoot);
  if (/\p{Cc}/u.test(path) || visible(path) !== path)
    return fault('it holds a control character or an invisible one', 'Leave that character out.');
  if (path.includes('\\') || /^[A-Za-z]:/.test(path)) return fault('it is written for Windows', fromRoot);
  if (HOME.test(path)) return fault('~ and $HOME are not expanded', fromRoot);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(path)) return fault('it is an address', fromRoot);
  if (path !== path.normalize('NFC'))
    return fault('it is not in the composed Unicode form (NFC), so a rule could miss it', 'Write it in NFC.');
  if (LIKE_SLASH.test(path) || separators(path.normalize('NFKC')) !== separators(path))
    return fault('it holds a character that looks like a separator', 'Use plain / and . only.');
  const names = split(path);
  if (names.length > DEEPEST) return fault(`it is deeper than ${DEEPEST} folders`, fromRoot);
  for (const name of names) {
    const plain = name.normalize('NFKC');
    if (plain === '..') return fault('.. is not followed', 'Write the path from the workspace root, without any "..".');
    if (/^\.+$/.test(plain) || /[. ]$|^ /.test(plain))
      return fault(`a name begins with a space or ends in a space or a dot (${JSON.stringify(name)})`, 'Rename it with bash.');
    if (Buffer.byteLength(name) > LONGEST_NAME_BYTES) return fault(`a name has more than ${LONGEST_NAME_BYTES} bytes`, fromRoot);
  }
  return undefined;
}

function split(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.');
}

function separators(text: string): number {
  return text.split(/[/\\]/).length;
}
