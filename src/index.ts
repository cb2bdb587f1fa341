/** The public exports of `holdfast`: those of `holdfast/app`, `holdfast/client` and `holdfast/worker`, and the converters of tool definitions. */
export * from './entries/app';
export * as convert from './tools/convert';
export { compareVersions, type Comparison } from './tools/migrate/compare';
export type { ToolJson } from './tools/convert/definition';
export type { HoldfastConfig } from './config/settings-file';
export * from './entries/client';
export * from './entries/worker';
