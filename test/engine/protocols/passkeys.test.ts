/** Whoever has an enrolled passkey approves on the page, and not through a protocol by the gateway's signature. */
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { PasskeyRegister } from '../../../src/attestation/passkey-register';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { Store } from '../../../src/store/store';
import { enrolled } from '../../support/passkeys';
import { pays } from '../../support/tools';
import { ask, say } from '../../support/scripted-model';
import { approved, denied, FrontEnd } from '../support/front-end';
import { invoice } from '../support/gateway-scene';
import { textOf, withMcp } from '../support/mcp';
import { data, dataOf, peer, send, stateOf, text } from '../support/peer';
import { protocolScene, vera } from '../support/protocol-scene';

/** Gives a person a passkey that counts. */
async function hasPasskey(store: Store, principal: string): Promise<void> {
  const enroller = SigningKey.generate();
  const { enrolment, kid } = enrolled(enroller, { principal });
  const { v: _, roles: __, iat: ___, nonce: ____, kid: _____, ...passkey } = enrolment;
  const register = new PasskeyRegister(store);
  expect(await register.add({ ...passkey, kid, transports: [], counter: 0 })).toBeNull();
  const fault = await register.enrol((await register.find(kid))!, enroller.token(enrolment), [
    trustedEntry(enroller, { enroller: true }),
  ]);
  expect(fault).toBeNull();
}

const parts = { publicUrl: 'https://desk.example' };

describe('a protocol', () => {
  it('sends an approver with a passkey to the page, by A2A', () =>
    protocolScene({}, async (scene) => {
      const client = await peer(scene, vera);
      const { id, ...waiting } = await send(client, [text('Pay INV-7.')]);
      const [{ call }] = dataOf(waiting);
      await hasPasskey(scene.store, 'acme/vera');
      const approve = send(client, [data({ decision: 'approve', call })], { taskId: id });
      await expect(approve).rejects.toThrow(/enrolled passkey.*Decide with the passkey on the page/);
      expect(scene.effects).toEqual([]);
      const done = await send(client, [data({ decision: 'deny', call })], { taskId: id });
      expect([stateOf(done), scene.effects]).toEqual(['TASK_STATE_REJECTED', []]);
    }));

  it('sends an approver with a passkey to the page, by AG-UI', () =>
    protocolScene(
      {},
      async (scene) => {
        const front = new FrontEnd(scene, vera);
        await front.say('Pay INV-7.');
        const [interrupt] = front.interrupts;
        await hasPasskey(scene.store, 'acme/vera');
        for (const more of [{}, { editedArgs: { ...invoice, cents: 1 } }]) {
          await front.answer(approved(interrupt!, more));
          expect(front.end).toMatchObject({
            ...{ type: 'RUN_ERROR', code: 'passkey_needed', message: expect.stringContaining('enrolled passkey') },
          });
        }
        expect(scene.effects).toEqual([]);
        await front.answer(denied(interrupt!, 'Not now.'));
        expect(front.kinds().at(-1)).toBe('RUN_FINISHED');
        expect(scene.effects).toEqual([]);
      },
      parts,
    ));

  it('sends an approver with a passkey to the page, by MCP', () => {
    const effects: unknown[] = [];
    const setup = { tools: [pays('pay', effects)], script: [ask(['pay', invoice]), say('done')], people: [vera], parts };
    return withMcp(setup, async ({ connect, store }) => {
      await hasPasskey(store, 'acme/vera');
      const client = await connect(vera, { asked: async () => ({ action: 'accept', content: { decision: 'approve' } }) });
      const result = await client.callTool({ name: 'pay', arguments: invoice });
      expect(textOf(result)).toContain('has an enrolled passkey');
      expect(effects).toEqual([]);
    });
  });
});
