/**
 * The order of the files of a run. Without figures of an earlier run, as in a fresh clone, Jest begins with the largest
 * files; those with processes of their own take longest, and one that began last would run alone at the end.
 */
const Sequencer = require('@jest/test-sequencer').default;

const LONG = ['system/(?:fault|e2e)', 'system/(?:cli|packs|docs|audit)', 'system', 'engine/(?:workflows|attack|gateway)'].map(
  (folders) => new RegExp(`/test/(?:${folders})/`),
);

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => LONG.findIndex((long) => long.test(path.replaceAll('\\', '/')));
    const rank = (test) => (place(test) < 0 ? LONG.length : place(test));
    return [...super.sort(tests)].sort((a, b) => rank(a) - rank(b));
  }
};
