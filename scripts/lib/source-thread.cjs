/** Loaded first by threads in a checkout without a build, so that they load TypeScript, and packages from their sources. */
require('tsx/cjs');
require('./sources.cjs').resolveSources();
