import type { ToolLogger } from '../../src/tools/define/tool';

/** A log that nobody reads. */
export const silent: ToolLogger = { debug() {}, info() {}, warn() {}, error() {} };
