/** Loads the package that drafts tools. A worker, a gateway and a client never need it, nor the parsers that it brings. */
import { loadOwnPackage, needOwnPackage } from './own-packages';

const PACKAGE = '@holdfast/tool-kit';

/** What the command line uses of the package. Each draft is the text of a TypeScript file. */
export interface ToolKit {
  draftFromOpenApi(text: string, from: string): string;
  draftFromSql(text: string, from: string): string;
  draftFromCsv(text: string, from: string, path: string): string;
  draftFromFunctions(typescript: unknown, source: { text: string; from: string; module: string; name?: string }): string;
  /** The compiler of the project that the file belongs to. */
  typescriptFor(file: string): unknown;
}

/** @throws UsageError that says how to install it */
export function loadToolKit(): ToolKit {
  needOwnPackage(PACKAGE, 'What drafts tools is');
  return loadOwnPackage<ToolKit>(PACKAGE);
}
