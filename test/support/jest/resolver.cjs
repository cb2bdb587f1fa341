/** `import('./file.js')`, as Node's rules for a dynamic import want it, is `file.ts` in src; our own packages are their sources. */
const { sourceOf } = require('../../../scripts/lib/sources.cjs');

module.exports = (request, options) => {
  const source = sourceOf(request);
  if (source) return source;
  try {
    return options.defaultResolver(request, options);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request) || options.basedir.includes('node_modules')) throw error;
    return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
  }
};
