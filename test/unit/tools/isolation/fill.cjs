/** A job that takes more and more memory. */
exports.fill = () => {
  for (const kept = []; ;) kept.push(Array.from({ length: 1000 }, (_, i) => `${kept.length} ${i}`));
};
