/** The errors of the file tools. None reveals anything about files outside of the workspace, not even whether they exist. */
import { realpath } from 'node:fs/promises';
import { hasCode, ToolError } from 'holdfast/tools';
import { NotSameFile, type Directory } from './directory';
import { joinNames, type Names } from './path';

export function notFound(path: string): ToolError {
  return new ToolError('RESOURCE_NOT_FOUND', 'file_not_found', `There is no ${path} in the workspace.`, {
    hint: 'Paths begin at the workspace root; nothing outside of it can be reached. Find names with glob.',
  });
}

export function invalid(reason: string, message: string, hint?: string): ToolError {
  return new ToolError('INVALID_PARAMS', reason, message, hint === undefined ? {} : { hint });
}

/** Finds out why `names[index]` could not be opened in `directory`. */
export async function whyNot(error: unknown, root: string, directory: Directory, names: Names, index: number): Promise<Error> {
  const path = joinNames(names.slice(0, index + 1));
  if (error instanceof NotSameFile) {
    return invalid(
      'moved',
      `${path} changed its place, or is spelled otherwise, while it was opened.`,
      'Take the spelling that glob gives.',
    );
  }
  if (hasCode(error, 'ENOENT')) return notFound(joinNames(names));
  if (hasCode(error, 'ENAMETOOLONG')) return invalid('bad_path', `The file system takes no name as long as in ${path}.`);
  if (hasCode(error, 'EACCES', 'EPERM'))
    return new ToolError('PERMISSION_DENIED', 'no_access', `The file system does not allow to open ${path}.`);
  if (hasCode(error, 'ENXIO', 'ENODEV')) return notPlain(path, 'a socket or a device');
  if (hasCode(error, 'ELOOP', 'ENOTDIR', 'EMLINK')) {
    const stats = await directory.lstat(names[index]!).catch(() => null);
    if (stats?.isSymbolicLink()) return linkError(root, directory, names, index);
    if (stats && !stats.isDirectory()) return invalid('not_a_directory', `${path} is not a directory.`);
    return notFound(joinNames(names));
  }
  return error as Error;
}

export function notPlain(path: string, what: string): ToolError {
  return invalid('not_a_file', `${path} is ${what}; only regular files are read and written.`);
}

/** Links inside the workspace are not followed either: rules are written for real paths, so the error names the real path. */
async function linkError(root: string, directory: Directory, names: Names, index: number): Promise<ToolError> {
  const path = joinNames(names.slice(0, index + 1));
  const target = await realpath(directory.at(names[index])).catch(() => null);
  if (target === null || (target !== root && !target.startsWith(`${root}/`))) {
    return invalid(
      'link_outside',
      `${path} is a symbolic link that leads out of the workspace, or to nothing.`,
      'Links out of the workspace are not followed.',
    );
  }
  const real = joinNames([...target.slice(root.length).split('/').filter(Boolean), ...names.slice(index + 1)]);
  return invalid('symbolic_link', `${path} is a symbolic link.`, `Use the real path: ${real}`);
}
