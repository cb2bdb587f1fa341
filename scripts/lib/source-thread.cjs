/** Loaded first by threads of code that runs from source, in a checkout without a build: they load TypeScript, and the sources of packages. */
require('tsx/cjs');
require('./sources.cjs').resolveSources();
