/** `holdfast mcp serve`: offers holdfast's tools to an MCP client that starts this process, such as an editor. */
import type { Command } from 'commander';
import { loadConfig, type Config } from '../config';
import { signAndDecide } from '../client/approvals/attest';
import type { SendAnswer } from '../protocols/mcp/ask-question';
import type { Decide } from '../protocols/mcp/asks';
import { createLog } from '../telemetry/log';
import { signerOptions, userName, type SignerOptions } from './support/decide-options';
import { UsageError } from './support/exit';
import { signerOf } from './support/signer';
import { untilStopped } from './support/until-stopped';

interface ServeOptions extends SignerOptions {
  app?: string;
  agent?: string;
}

export function mcpServe(mcp: Command): void {
  const command = mcp
    .command('serve')
    .description('Our tools and agents as an MCP server over standard input and output. Workers run elsewhere, as ever.')
    .option('--app <file>', 'the app that the workers serve; default: the agents that ship')
    .option('--agent <name>', 'only the tools of this agent, by their own names');
  signerOptions(command, 'who asks, and decides').action(async ({ app: file, agent, ...who }: ServeOptions) => {
    const stopped = untilStopped();
    const { protocolOnly, serveStdio } = await import('../protocols/mcp/sessions.js');
    const output = protocolOnly();
    const config = loadConfig();
    const [{ LazyClient }, { HoldfastClient }] = await Promise.all([
      import('../gateway/route.js'),
      import('../client/holdfast-client.js'),
    ]);
    const lazyClient = new LazyClient(() => HoldfastClient.connect());
    const { offers, mcp: offered } = await offersOfApp(config, file);
    const name = who.key === undefined ? (who.by ?? userName()) : (await signerOf(config, who)).principal;
    if (offers(name, agent) === null) throw new UsageError(`There is no agent ${JSON.stringify(agent)} in this app.`);
    const { createPrincipal } = await import('../gateway/auth/principals.js');
    const principal = createPrincipal(name, ['starter', 'approver']);
    const decide = deciding(config, who, name);
    const answer = answering(config, who, name);
    const own = { principal: () => principal, decide: () => decide, answer: () => answer };
    const parts = { client: lazyClient.get, log: createLog(config.logLevel), ...own };
    await serveStdio({ ...parts, offers: () => offers(name, agent)!, mcp: offered, agent }, output, stopped);
    await lazyClient.close();
  });
}

async function offersOfApp(config: Config, file: string | undefined) {
  const [{ appOf }, { catalogueOf }, { offersBy }] = await Promise.all([
    import('./support/app.js'),
    import('../gateway/tool-catalogue.js'),
    import('../protocols/mcp/offers.js'),
  ]);
  // As in a stand-alone worker: the agent with a shell only if its folder is configured.
  const app = await appOf(config, file, { showcase: config.workspace !== null });
  const catalogue = catalogueOf(app, config.environment);
  return { offers: offersBy(catalogue), mcp: catalogue.mcp };
}

/**
 * Decides under a name, or signed with a key. If only signed decisions count, an unsigned one is refused, and the client gets the
 * error.
 */
function deciding(config: Config, who: SignerOptions, name: string): Decide {
  return async (turn, { decision, digest, note }) => {
    const noteField = note === undefined ? {} : { note };
    if (who.key !== undefined) {
      const { key, principal, roles } = await signerOf(config, who);
      await signAndDecide(turn, key, { decision, calls: [digest], principal, roles, ...noteField });
      return;
    }
    const by = { by: name, ...noteField };
    await (decision === 'approve' ? turn.approve(digest, by) : turn.deny(digest, by));
  };
}

/** Answers questions of the model in the same way. */
function answering(config: Config, who: SignerOptions, name: string): SendAnswer {
  return async (turn, { digest, value }) => {
    if (who.key === undefined) return turn.answer(digest, value, { by: name });
    const { key, principal, roles } = await signerOf(config, who);
    await signAndDecide(turn, key, { decision: 'answer', calls: [digest], principal, roles, value });
  };
}
