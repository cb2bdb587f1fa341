/** A listening gateway over the real engine, for clients of other protocols; it can be closed and opened again. */
import { defineAgent, defineApp } from '../../../src/agents/define';
import { serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import { catalogueOf } from '../../../src/gateway/tool-catalogue';
import type { GatewayParts } from '../../../src/gateway/route';
import { gatewayParts } from '../../support/gateway';
import { Signers } from '../../support/signers';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';
import { withEngine, type Engine, type Setup } from './engine';
import { ana, boss, eve, invoice, ned, olga, rita, ron } from './gateway-scene';
import { person } from '../../support/gateway';

/** Starts turns, and may approve as well. */
export const vera = person('acme/vera', 'starter', 'approver');

export interface ProtocolScene extends Engine {
  /** Address of the gateway. */
  url(): string;
  /** Closes the gateway and opens another one over the same turns. */
  restart(): Promise<void>;
  /** What the tool `pay` paid. */
  effects: unknown[];
}

/** By default the model pays the invoice and is done; only signed decisions count, and the gateway signs. */
export async function protocolScene(
  setup: Partial<Setup>,
  body: (scene: ProtocolScene) => Promise<void>,
  more: Partial<GatewayParts> = {},
): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const tools = setup.tools ?? [pays('pay', effects)];
  const script = [ask(['pay', invoice]), say('It is paid.')];
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const agent = { approvals: { fourEyes: false } };
  try {
    await withEngine({ tools, script, settings, signingKey, agent, ...setup }, async (engine) => {
      const app =
        setup.app ?? defineApp({ agents: [defineAgent({ name: 'tester', prompt: 'Test.', ...agent, ...setup.agent, tools })] });
      const common = { store: engine.store, key: signers.gateway, client: async () => engine.client };
      const people = [rita, ron, boss, ana, eve, ned, olga, vera];
      const parts = { people, ...common, catalogue: async () => catalogueOf(app), streams: { retryMs: 20 }, ...more };
      const open = () => serveGateway(gatewayParts(parts), { host: '127.0.0.1', port: 0, drainMs: 500 });
      let gateway: RunningGateway = await open();
      const restart = async () => {
        await gateway.close();
        gateway = await open();
      };
      try {
        await body({ ...engine, effects, restart, url: () => gateway.url });
      } finally {
        await gateway.close();
      }
    });
  } finally {
    signers.remove();
  }
}
