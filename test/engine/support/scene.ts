/** Where attacks are tried: a turn of the real engine that waits with one payment, under either channel. */
import type { By, TurnHandle } from '../../../src/client/turns/turn-handle';
import type { WaitingCall } from '../../../src/shapes/turn-view';
import type { Signing } from '../../../src/client/approvals/attest';
import { eventually, withEngine, type Engine, type Setup } from './engine';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

export type Channel = 'any' | 'attested';
export const CHANNELS: Channel[] = ['any', 'attested'];

export const invoice = { invoice: 'INV-7', cents: 700 };

export interface Scene extends Engine {
  effects: unknown[];
  signers: Signers;
  /** A turn that rita asked for; its one call waits. */
  turn: TurnHandle;
  waiting: WaitingCall;
  digest: string;
  /** A person's statement, as the channel takes it: a name, or a signature. */
  by(name: string, more?: Partial<Signing> & { turn?: TurnHandle; digest?: string }): Promise<By>;
  /** Sends a signal as the Web UI does. */
  signal(name: string, body: unknown): Promise<void>;
  /** Why the last signal was ignored, once that many have been. */
  ignored(count?: number): Promise<string>;
  /** Gives a valid approval afterwards, which runs the call once: the turn was not harmed. */
  goesOn(): Promise<void>;
}

export async function scene(channel: Channel, setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const script = [ask(['pay', invoice]), say('done')];
  const attested =
    channel === 'any'
      ? {}
      : {
          settings: { approvals: 'attested' as const, trust: signers.trust },
          signingKey: await signers.file(signers.gateway),
        };
  try {
    await withEngine({ tools: [pays('pay', effects)], script, ...attested, ...setup }, async (engine) => {
      const turn = await engine.start('Pay it.', { requester: 'rita' });
      // The call waits, or has waited: on a busy machine it may have expired by now.
      const call = await eventually('its call is asked about', async () => {
        const { calls } = await turn.status();
        return calls.find(({ approval }) => approval.expires_at) as WaitingCall | undefined;
      });
      const by: Scene['by'] = async (name, { turn: other = turn, digest = call.digest, ...more } = {}) => ({
        ...(channel === 'any' ? { by: name } : { attestation: await signers.signed(other, digest, name, more) }),
        ...(more.note === undefined ? {} : { note: more.note }),
      });
      const goesOn = async () => {
        expect(effects).toEqual([]);
        expect(await turn.pending()).toMatchObject([{ digest: call.digest, state: 'waiting' }]);
        await turn.approve(call.digest, await by('zoe', { roles: ['treasurer'] }));
        expect((await turn.result()).state).toBe('completed');
        expect(effects).toEqual([invoice]);
      };
      const signal = (name: string, sent: unknown) =>
        engine.client.temporal.workflow.getHandle(turn.workflowId).signal(name, sent);
      const ignored = async (count = 1) => {
        const { ignored_signals } = await eventually('it is ignored', async () => {
          const view = await turn.status();
          return view.ignored_signals.count >= count && view;
        });
        return ignored_signals.last.at(-1)!.reason;
      };
      await body({ ...engine, effects, signers, turn, waiting: call, digest: call.digest, by, signal, ignored, goesOn });
    });
  } finally {
    signers.remove();
  }
}

/** The waiting call that supersedes another one. */
export function insteadOf(turn: TurnHandle, digest: string): Promise<WaitingCall> {
  return eventually('another call waits in its stead', async () => {
    const [next] = await turn.pending();
    return next !== undefined && next.digest !== digest && next;
  });
}
