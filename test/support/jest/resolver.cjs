/** `import('./file.js')`, as Node's rules for a dynamic import want it, is `file.ts` in src. */
module.exports = (request, options) => {
  try {
    return options.defaultResolver(request, options);
  } catch (error) {
    if (!/^\.{1,2}\/.*\.js$/.test(request) || options.basedir.includes('node_modules')) throw error;
    return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
  }
};
