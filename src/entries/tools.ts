/**
 * The exports of `holdfast/tools`, for a package of tools: `defineTool` and `ToolError`, results and pages, jobs in threads, files
 * written whole, words for search. It loads neither Temporal nor a model (docs/tools.md, “A package of tools”).
 */
export * from './tool-exports';
export { isToolError } from '../tools/define/errors';
export { orAborted } from '../tools/run/cache';
export { ConversionError } from '../tools/convert/conversion';
export { type JsonBounds, plainJson } from '../tools/convert/plain-json';
export { KEYWORDS as SCHEMA_KEYWORDS, mapSchema, resolveRef } from '../tools/convert/schema-tree';
export { indexed, UNSPACED, words } from '../tools/catalogue/ranker';
export { defineJob, type Job, type JobLimits, type Tell } from '../tools/isolation/job';
export { inThread, type JobOptions } from '../tools/isolation/pool';
export { isolated, NotIsolated } from '../processes/isolation';
export { GRACE_MS, INSIDE, type Told, type Work } from '../processes/command-runner';
export { createFile, hasCode, makeDirs } from '../store/files/atomic-file';
export { canonical, CanonicalError } from '../shared/json/canonical';
export { getOwn, isJsonObject, setOwn } from '../shared/json/json';
export { requiresStartTls, type SmtpServer } from '../notify/smtp-tls';
export { retryAfterMs } from '../shared/wire/waits';
export { sha256Hex } from '../shared/json/sha256';
export { visible } from '../shared/text/visible';
export type { Resources } from '../shared/turn/calls';
export type { Outcome, ProbeAnswer } from '../tools/define/tool';
