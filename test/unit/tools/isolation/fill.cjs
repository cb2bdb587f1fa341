/** A job that takes memory without end. */
exports.fill = () => {
  for (const kept = []; ;) kept.push(Array.from({ length: 1000 }, (_, i) => `${kept.length} ${i}`));
};
