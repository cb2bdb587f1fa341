/** Signs the start of turns and the messages of sessions with the client's key, as proof of who asked. */
import type { Client } from '@temporalio/client';
import { attestStart } from '../attestation/bundle-signer';
import { SigningKey } from '../attestation/signing-key';
import { workflowId } from '../shared/ids';
import type { TurnStart } from './turns/start-turn';

export class StartSigner {
  private key: Promise<SigningKey> | undefined;

  /** @param path of the private key; null: nothing is signed */
  constructor(
    private readonly path: string | null,
    private readonly temporal: Client,
  ) {}

  get signs(): boolean {
    return this.path !== null;
  }

  /** The proof as a field of the workflow's input; none without a key. */
  async sign(
    { workflow_id, ...who }: { workflow_id: string; agent: string; requester: string },
    message_hash: string,
  ): Promise<{ attestation?: string }> {
    if (this.path === null) return {};
    const claims = { aud: { namespace: this.temporal.options.namespace, workflow_id }, ...who, message_hash };
    return { attestation: attestStart(await this.read(this.path), claims) };
  }

  signStart({ turn_id, agent, requester }: TurnStart, message_hash: string): Promise<{ attestation?: string }> {
    return this.sign({ workflow_id: workflowId(turn_id), agent: agent ?? '', requester }, message_hash);
  }

  /** Read on first use, and again after a failure. */
  private read(path: string): Promise<SigningKey> {
    if (this.key === undefined) {
      const key = (this.key = SigningKey.read(path));
      key.catch(() => void (this.key = undefined));
    }
    return this.key;
  }
}
