/** The client for backends (`holdfast/client`), and a program: see below. */
export * from './client/holdfast-client';

// `npx tsx src/client.ts "message"` starts a turn, follows it and prints its result, as `holdfast run --follow` does.
if (require.main === module) {
  const agent = process.argv.includes('--agent') ? [] : ['--agent', 'credit-analyst'];
  process.argv.splice(2, 0, 'run', '--follow', ...agent);
  void import('./cli/main.js');
}
