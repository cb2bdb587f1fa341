/** The public exports of `@holdfast/tool-kit`: drafts of tools, from a data source or from functions, as TypeScript source. */
export { draftFromCsv } from './csv';
export { draftFromFunctions } from './function';
export { draftFromOpenApi } from './openapi';
export { DraftError } from './source';
export { draftFromSql } from './sql';
export { typescriptFor, type TypeScript } from './typescript';
