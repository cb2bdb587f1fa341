import type { ToolLogger } from '../../src/tools/define';

/** A log that nobody reads. */
export const silent: ToolLogger = { debug() {}, info() {}, warn() {}, error() {} };
