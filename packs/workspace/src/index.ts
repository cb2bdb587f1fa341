/** The workspace pack: six tools over one directory, and nothing outside of it (docs/workspace.md). */
import { Workspace } from './files/workspace';
import { bashTool, type BashSettings } from './tools/bash';
import { editFileTool } from './tools/edit-file';
import { globTool } from './tools/glob';
import { grepTool } from './tools/grep';
import { readFileTool } from './tools/read-file';
import { writeFileTool } from './tools/write-file';
import type { Tool } from 'holdfast/tools';

export { dangers, type Danger } from './shell/dangers';

export interface WorkspaceSettings extends BashSettings {
  /** An existing directory, absolute. Tools write its paths as `/src/a.ts`. */
  root: string;
  /** Read files that have several names (hard links) too. Default false: another name may lie outside of the root. */
  hardLinks?: boolean;
}

/** @throws Error when the root is no directory, or is `/` */
export function workspaceTools({ root, hardLinks = false, ...bash }: WorkspaceSettings): Tool[] {
  return toolsOver(new Workspace(root, hardLinks), bash);
}

export function toolsOver(workspace: Workspace, bash: BashSettings): Tool[] {
  return [
    readFileTool(workspace),
    writeFileTool(workspace),
    editFileTool(workspace),
    globTool(workspace),
    grepTool(workspace),
    bashTool(workspace, bash),
  ];
}
