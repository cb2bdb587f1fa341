/**
 * The A2A card of an agent: where it is reached, how a client proves who it is, and what the agent can do, from the tools that the
 * principal can reach. It needs a token like every route, since it names tools.
 */
import type { ToolEntry } from '../../gateway/tool-catalogue';
import { version } from '../../version';
import { sdk, type AgentCard, type AgentSkill } from './sdk';

const SCHEME = 'bearer';
const MODES = ['text/plain', 'application/json'];

export interface CardOf {
  agent: string;
  /** HOLDFAST_PUBLIC_URL, without a slash at its end. */
  publicUrl: string;
  /** The tools that the principal can reach. */
  tools: readonly ToolEntry[];
}

export function agentCard({ agent, publicUrl, tools }: CardOf): AgentCard {
  return {
    name: agent,
    description: `The agent ${agent}. Each message is a durable turn; calls that can do harm wait for a person.`,
    version,
    supportedInterfaces: [
      {
        url: `${publicUrl}/a2a/${encodeURIComponent(agent)}`,
        protocolBinding: 'JSONRPC',
        protocolVersion: sdk.types().A2A_PROTOCOL_VERSION,
        tenant: '',
      },
    ],
    provider: undefined,
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: true, extensions: [] },
    securitySchemes: {
      [SCHEME]: {
        scheme: {
          $case: 'httpAuthSecurityScheme',
          value: { scheme: 'Bearer', bearerFormat: '', description: 'A token or JWT of the gateway, as for its other routes.' },
        },
      },
    },
    securityRequirements: [{ schemes: { [SCHEME]: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [chat(agent), ...tools.filter((tool) => tool.agents.includes(agent)).map(skillOf)],
    signatures: [],
  };
}

function chat(agent: string): AgentSkill {
  return skill('chat', 'Chat', `Takes a message and answers it, with the tools of ${agent}.`, ['chat']);
}

function skillOf({ name, description, class: toolClass }: ToolEntry): AgentSkill {
  return skill(name, name, description, [toolClass]);
}

function skill(id: string, name: string, description: string, tags: string[]): AgentSkill {
  return { id, name, description, tags, examples: [], inputModes: [], outputModes: [], securityRequirements: [] };
}
