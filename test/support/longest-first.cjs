/**
 * The order of the files of a whole run. Without figures of an earlier run, as in a fresh clone, Jest begins with the largest
 * files; those with processes of their own take longest, and one that began last would run alone at the end.
 */
const Sequencer = require('@jest/test-sequencer').default;

const LONG = ['fault|e2e', 'cli|packs/mcp|docs|audit', 'workflows|attack|gateway|packs/workspace'].map(
  (rooms) => new RegExp(`/test/(?:${rooms})/`),
);

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const room = ({ path }) => LONG.findIndex((long) => long.test(path.replaceAll('\\', '/')));
    const rank = (test) => (room(test) < 0 ? LONG.length : room(test));
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
