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
  /** Asked for by rita; its one call waits. */
  turn: TurnHandle;
  waiting: WaitingCall;
  digest: string;
  /** What a person says, as the channel takes it: a name, or a signature. */
  by(name: string, more?: Partial<Signing> & { turn?: TurnHandle; digest?: string }): Promise<By>;
  /** As the Web UI sends it. */
  signal(name: string, body: unknown): Promise<void>;
  /** Why the last signal was ignored, once so many were. */
  ignored(count?: number): Promise<string>;
  /** A valid approval, given afterwards, runs the call once: the turn had not been harmed. */
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
      // That waits, or has waited: on a busy machine it may have expired by now.
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

/** The call that waits in the stead of another one. */
export function insteadOf(turn: TurnHandle, digest: string): Promise<WaitingCall> {
  return eventually('another call waits in its stead', async () => {
    const [next] = await turn.pending();
    return next !== undefined && next.digest !== digest && next;
  });
}
