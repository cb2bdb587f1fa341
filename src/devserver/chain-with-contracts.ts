/** Starts the embedded chain with contracts on it, for a stack that also works without a chain. */
import { anvilPath, startChain, type DevChain } from './chain';

/** Quotes have the time of the newest block, and deadlines are counted from it: the block must not be old. */
const BLOCK_SECONDS = 30;

/** Deploys contracts on a new chain. Returns the settings with which a worker finds them. */
export type DeployContracts = (rpcUrl: string) => Promise<NodeJS.ProcessEnv>;

export interface EquippedChain {
  rpcUrl: string;
  pid: number;
  settings: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/**
 * Never rejects.
 * @param anvil path of the node's binary. Default: the one that npm installed, if any
 * @returns null if there is no chain; `say` gets the reason, in one line
 */
export async function startChainWithContracts(
  equip: DeployContracts,
  say: (line: string) => void,
  anvil = anvilPath(),
  blockSeconds = BLOCK_SECONDS,
): Promise<EquippedChain | null> {
  if (anvil === null) {
    say('No chain: anvil is not installed (npm: @foundry-rs/anvil, an optional dependency). The onchain tools will say so.');
    return null;
  }
  try {
    const node = await startChain({ anvil, blockSeconds });
    const settings = await equip(node.rpcUrl).catch(async (error: unknown) => {
      await node.stop();
      throw error;
    });
    return { rpcUrl: node.rpcUrl, pid: node.pid, settings, stop: watchExit(node, say) };
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/\s*\n\s*/g, ' ') : String(error);
    say(`No chain: ${why} The onchain tools will say so.`);
    return null;
  }
}

/** Reports when the node ends by itself. @returns a function that stops it without a report */
function watchExit(node: DevChain, say: (line: string) => void): () => Promise<void> {
  let stopping = false;
  void node.exited.then(({ how }) => {
    if (!stopping) say(`The embedded chain has ended (${how}); onchain tools fail from now on.`);
  });
  return () => {
    stopping = true;
    return node.stop();
  };
}
