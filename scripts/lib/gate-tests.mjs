/**
 * The tests of `npm test` that need a server or a process, chosen so that the gate takes six minutes on two cores: of each room of
 * test/engine the files that show its main rules, and of each part of test/system one quick file, which fails if the part as a
 * whole is broken. `npm test -- --all` runs all files of both (decision 0101).
 */
const ENGINE = {
  activities: ['policy-archive'],
  attack: ['bound-starts', 'changed-digest', 'forged-messages', 'other-agent', 'other-tenants'],
  audit: ['archive/receipts', 'export', 'replay/from-file', 'replay/frozen', 'verify/modes-above'],
  cli: ['eval-capture', 'files', 'pending', 'schedule'],
  client: ['in-order', 'senders', 'start'],
  deputies: ['deputies'],
  encryption: ['encryption'],
  evals: ['incidents'],
  gateway: ['answers', 'bundles', 'completions', 'decisions', 'invoice-example', 'tickets', 'triggers', 'typed-results'],
  model: ['kept-answers', 'prompted-tools'],
  passkeys: ['passkeys'],
  protocols: ['mcp/hostile', 'questions'],
  telemetry: ['activity-log', 'guarded-proxy'],
  testing: ['test-agent', 'test-agent-time'],
  workflows: [
    ...['admission', 'approval', 'bundle', 'call', 'decisions', 'drift', 'find-tools', 'later', 'limits', 'questions'],
    ...['recheck', 'replay', 'session', 'transcript', 'turn', 'versions', 'waits', 'zod-output'],
  ],
};

const SYSTEM = {
  agents: ['models'],
  attack: ['words'],
  audit: ['verify/command'],
  cli: ['start-up'],
  devserver: ['equipped-chain'],
  docker: ['compose'],
  docs: ['audit'],
  e2e: ['postgres-store'],
  entries: ['loaded-packages'],
  fault: ['kill-gateway'],
  gateway: ['worker-behind'],
  'http-client': ['generated'],
  live: ['postgres'],
  notify: ['mail'],
  packs: ['finance/edgar/http', 'mcp/oauth', 'onchain/known', 'workspace/engine'],
  page: ['waits'],
  scripts: ['tally'],
  shared: ['people'],
  store: ['calls'],
  telemetry: ['tool-metrics'],
  testing: ['test-tool'],
  tools: ['isolation/tool-threads'],
  workflows: ['budget-book'],
};

const pathsOf = (project, rooms) =>
  Object.entries(rooms).flatMap(([room, files]) => files.map((file) => `test/${project}/${room}/${file}.test.ts`));

export const GATE_TESTS = { engine: pathsOf('engine', ENGINE), system: pathsOf('system', SYSTEM) };
