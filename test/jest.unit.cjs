/** The unit tests alone, as one project: for `npm run mutate` and `npm run coverage`. */
const unit = require('./jest.config.cjs').projects.find(({ displayName }) => displayName === 'unit');

// A mutant that waits for ever is found by this limit. Not shorter: beside a load a good test may take seconds.
module.exports = { ...unit, testTimeout: 10_000 };
