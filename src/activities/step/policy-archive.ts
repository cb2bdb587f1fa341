/**
 * What a block names by hash only: the rules that decide (`policy_ref`), and what the agent is (`definition_ref`). Their
 * canonical form is kept under its SHA-256 before the block is stored, so that an auditor finds it years later.
 */
import { createHash } from 'node:crypto';
import { agentDefinition, type Engine } from './agent-definition';
import { canonical } from '../../shared/json/canonical';
import type { JsonObject } from '../../shared/json/json';
import type { Store } from '../../store/store';
import type { PreparedAgent } from '../../tools/catalogue/registry';

export class PolicyArchive {
  /** What is kept, or on its way: once a process is enough. */
  private readonly kept = new Map<string, Promise<unknown>>();
  /** By an agent's tools, which those share that differ only in the turns above them. */
  private readonly definitions = new WeakMap<PreparedAgent['tools'], Kept>();

  constructor(
    private readonly store: Store,
    private readonly engine: Engine,
  ) {}

  /** Keeps the agent's rules. Once it resolves they outlive a power cut. */
  async rules({ policies }: PreparedAgent): Promise<void> {
    await Promise.all(policies.map((policy) => this.keep(keptOf(policy))));
  }

  /** The same, and keeps what the agent is. @returns its `definition_ref` */
  async agent(agent: PreparedAgent): Promise<string> {
    const definition = this.definitions.get(agent.tools) ?? keptOf(agentDefinition(agent, this.engine));
    this.definitions.set(agent.tools, definition);
    await Promise.all([this.rules(agent), this.keep(definition)]);
    return definition.ref;
  }

  private async keep({ ref, text }: Kept): Promise<void> {
    const put = this.kept.get(ref) ?? this.store.putBytes(Buffer.from(text, 'utf8'));
    this.kept.set(ref, put);
    try {
      await put;
    } catch (error) {
      this.kept.delete(ref);
      throw error;
    }
  }
}

interface Kept {
  ref: string;
  text: string;
}

function keptOf(object: JsonObject): Kept {
  const text = canonical(object);
  return { ref: createHash('sha256').update(text, 'utf8').digest('hex'), text };
}
