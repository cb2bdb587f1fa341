import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileTrust } from '../../../src/attestation/file-trust';
import { SigningKey } from '../../../src/attestation/signing-key';
import { Tokens } from '../../../src/gateway/auth/principals';
import { serveGateway } from '../../../src/gateway/serve';
import { eventually, testAddress, withEngine } from '../support/engine';
import { ask, say, ScriptedModel } from '../../support/scripted-model';
import { gatewayParts } from '../../support/gateway';
import { recorded } from '../support/steering';
import { pays, reads } from '../../support/tools';
import { environment, run } from '../../support/command-line';

let home: string;
beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'holdfast-keys-cli-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

const holdfast = (args: string[], more: NodeJS.ProcessEnv = {}, input?: string) =>
  run(args, environment({ HOLDFAST_HOME: home, TEMPORAL_ADDRESS: testAddress(), ...more }), input);
const json = async (args: string[], more: NodeJS.ProcessEnv = {}) => {
  const { code, stdout, stderr } = await holdfast([...args, '--json'], more);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: '' });
  return JSON.parse(stdout);
};

describe('holdfast keys', () => {
  it('makes keys that only their owner reads, lists, exports and revokes them', async () => {
    const gateway = await json(['keys', 'create']);
    expect(gateway).toMatchObject({ use: 'gateway', private_key: join(home, 'keys', 'gateway.pem') });
    const ana = await json(['keys', 'create', '--principal', 'ana', '--role', 'treasurer', '--role', 'approver', '--days', '90']);
    expect(ana).toMatchObject({ use: 'principal', principal: 'ana', roles: ['treasurer', 'approver'] });
    expect(statSync(ana.private_key).mode & 0o777).toBe(0o600);
    expect((await SigningKey.read(ana.private_key)).kid).toBe(ana.kid);
    const exported = await json(['keys', 'export', ana.kid]);
    expect(exported).toMatchObject([{ kid: ana.kid, public: ana.public }]);
    expect(JSON.stringify(exported)).not.toContain('PRIVATE');
    await json(['keys', 'revoke', ana.kid]);
    expect(await json(['keys', 'list'])).toMatchObject([
      { kid: gateway.kid, not_in_force: null },
      { kid: ana.kid, not_in_force: expect.stringContaining('was revoked') },
    ]);
    expect(JSON.parse(readFileSync(join(home, 'keys', 'trusted.json'), 'utf8'))).toHaveLength(2);
    expect(await holdfast(['keys', 'revoke', 'feedfeedfeedfeed'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('keys list'),
    });
    expect(await holdfast(['keys', 'create', '--role', 'x'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--principal'),
    });
  });

  it('makes a token, of which settings hold the hash only', async () => {
    const { token, entry } = await json(['keys', 'token', '--principal', 'ana', '--role', 'approver']);
    expect(token).toMatch(/^hft_[A-Za-z0-9_-]{43}$/);
    expect(entry).toEqual({ principal: 'ana', roles: ['approver'], token_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
    const settings = { HOLDFAST_TOKENS: JSON.stringify([entry]) };
    expect(await holdfast(['doctor'], settings)).toMatchObject({ stdout: expect.stringContaining('any: names are not proved') });
  });
});

describe('holdfast sign, approve and deny', () => {
  const invoice = { invoice: 'INV-7', cents: 700 };

  it('print what the Web UI takes, sign with a person’s key, or let the gateway sign', async () => {
    const first = await json(['keys', 'create']);
    const [ana, bob] = [
      await json(['keys', 'create', '--principal', 'ana']),
      await json(['keys', 'create', '--principal', 'bob']),
    ];
    const trust = new FileTrust({ path: first.trusted_keys, namespace: 'default', log: { error: () => undefined } });
    const effects: unknown[] = [];
    const agent = { approvals: { quorum: 3 } };
    const settings = { approvals: 'attested' as const, trust };
    const script = [ask(['pay', invoice]), say('done')];
    await withEngine(
      { tools: [pays('pay', effects)], agent, script, settings, signingKey: first.private_key },
      async (engine) => {
        const turn = await engine.start();
        const [{ digest }] = await turn.waitForPending();
        const bare = await holdfast(['approve', turn.id, '--call', digest, '--by', 'ana']);
        expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('signed decisions only') });

        const paste = await json(['sign', turn.id, 'approve', '--call', digest.slice(0, 16), '--key', ana.private_key]);
        expect(paste).toMatchObject({ call: digest, by: 'ana', attestation: expect.stringMatching(/^[A-Za-z0-9_.-]+$/) });
        await engine.client.temporal.workflow.getHandle(turn.workflowId).signal('approve', paste);
        await eventually('ana counts', async () => (await turn.status()).calls[0]!.approval.by.includes('ana'));

        const own = await json(['approve', turn.id, '--call', digest, '--key', bob.private_key, '--note', 'fine']);
        expect(own).toEqual({
          accepted: true,
          call: digest,
          by: 'bob',
          now: [{ digest, state: 'waiting', approvals: 2, quorum: 3 }],
        });
        const posing = await holdfast(['approve', turn.id, '--call', digest, '--key', bob.private_key, '--by', 'carl']);
        expect(posing).toMatchObject({ code: 2, stderr: expect.stringContaining('speaks for bob, not for carl') });

        const { token, entry } = await json(['keys', 'token', '--principal', 'carl', '--role', 'approver']);
        const key = await SigningKey.read(first.private_key);
        const parts = { key, store: engine.store, authenticator: new Tokens([entry]), client: async () => engine.client };
        const gateway = await serveGateway(gatewayParts(parts), { host: '127.0.0.1', port: 0 });
        try {
          const through = { HOLDFAST_GATEWAY_URL: gateway.url, HOLDFAST_TOKEN: token };
          const wrong = await holdfast(['deny', turn.id, '--call', 'f'.repeat(64)], through);
          expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining('Not accepted') });
          const stranger = await holdfast(['approve', turn.id, '--call', digest], { ...through, HOLDFAST_TOKEN: `${token}x` });
          expect(stranger).toMatchObject({ code: 1, stderr: expect.stringContaining('token') });
          expect(effects).toEqual([]);
          expect(await json(['approve', turn.id, '--call', digest], through)).toMatchObject({
            accepted: true,
            by: 'carl',
            now: [{ digest, approvals: 3, quorum: 3 }],
          });
        } finally {
          await gateway.close();
        }
        const view = await turn.result();
        expect(view.calls[0]!.approval.decisions.map(({ by, attested }) => [by, attested])).toEqual([
          ['ana', true],
          ['bob', true],
          ['carl', true],
        ]);
        expect(effects).toEqual([invoice]);
      },
    );
  });

  it('take several calls at once, and another input for one', async () => {
    const effects: unknown[] = [];
    const calls = ['A', 'B'].map((name): [string, any] => ['pay', { invoice: name, cents: 1 }]);
    await withEngine({ tools: [pays('pay', effects)], script: [ask(...calls), say('done')] }, async ({ start }) => {
      const turn = await start();
      const [a, b] = await eventually('both wait', async () => {
        const pending = await turn.pending();
        return pending.length === 2 && pending.map(({ digest }) => digest);
      });
      const input = JSON.stringify({ invoice: 'A', cents: 2 });
      await json(['approve', turn.id, '--call', a!, '--by', 'ana', '--input', input]);
      const next = (await turn.pending()).map(({ digest }) => digest).find((digest) => digest !== b)!;
      expect(next).not.toBe(a);
      const both = await json(['approve', turn.id, '--call', next, '--call', b!, '--by', 'bob']);
      expect(both).toMatchObject({ accepted: true, calls: [next, b], by: 'bob' });
      await turn.result();
      expect(effects).toEqual([
        { invoice: 'A', cents: 2 },
        { invoice: 'B', cents: 1 },
      ]);
      expect(await holdfast(['sign', turn.id, 'edit', '--call', b!])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('--input'),
      });
      expect(await holdfast(['sign', turn.id, 'settle', '--call', b!])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('outcome'),
      });
      expect(await holdfast(['sign', turn.id, 'approve', '--call', b!])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('keys create'),
      });
    });
  });
});

describe('holdfast steer', () => {
  const look = reads('look', async () => ({ seen: true }));
  /** The model thinks until the test lets it go on. */
  const slow = () => {
    let goOn!: () => void;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    const model = new ScriptedModel([ask(['look', {}]), say('done')], async (index) => (index === 0 ? gate : undefined));
    return { model, goOn };
  };

  it('sends the model a message under a name, from arguments or from standard input; if it is refused, the command says why', async () => {
    const { model, goOn } = slow();
    await withEngine({ tools: [look], model }, async ({ start }) => {
      const turn = await start();
      const accepted = await json(['steer', turn.id, 'Only', 'euros.', '--by', 'bob']);
      expect(accepted).toEqual({ accepted: true, turn_id: turn.id, by: 'bob' });
      const piped = await holdfast(['steer', turn.id, '-', '--by', 'ana', '--json'], {}, 'And\nbe short.\n');
      expect(piped).toMatchObject({ code: 0, stdout: expect.stringContaining('"by":"ana"') });
      const long = await holdfast(['steer', turn.id, 'x'.repeat(4001), '--by', 'bob']);
      expect(long).toMatchObject({ code: 1, stderr: expect.stringContaining('"text" must be 1 to 4000 characters') });
      goOn();
      await turn.result();
      const shown = await holdfast(['show', turn.id]);
      expect(shown.stdout).toContain('\n  steered by bob, ana\n');
      const heard = model.requests[1]!.messages.slice(-2).map(({ content }) => content[0]!.text);
      expect(heard).toEqual(['Only euros.', 'And\nbe short.']);
      const late = await holdfast(['steer', turn.id, 'Late.', '--by', 'bob']);
      expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining('the turn has ended') });
    });
  });

  it('is signed where decisions are, with a key, or pasted into the Web UI’s signal', async () => {
    const first = await json(['keys', 'create']);
    const bob = await json(['keys', 'create', '--principal', 'bob']);
    const trust = new FileTrust({ path: first.trusted_keys, namespace: 'default', log: { error: () => undefined } });
    const settings = { approvals: 'attested' as const, trust };
    const { model, goOn } = slow();
    await withEngine({ tools: [look], model, settings, signingKey: first.private_key }, async ({ start, client, store }) => {
      const turn = await start();
      const bare = await holdfast(['steer', turn.id, 'Stop.', '--by', 'bob']);
      expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('holdfast steer --key FILE') });
      const paste = await json(['sign', turn.id, '--steer', 'Be short.', '--key', bob.private_key]);
      expect(paste).toEqual({ text: 'Be short.', by: 'bob', attestation: expect.stringMatching(/^[A-Za-z0-9_.-]+$/) });
      await client.temporal.workflow.getHandle(turn.workflowId).signal('steer', paste);
      const signed = await json(['steer', turn.id, 'Only euros.', '--key', bob.private_key]);
      expect(signed).toEqual({ accepted: true, turn_id: turn.id, by: 'bob' });
      goOn();
      const view = await turn.result();
      expect(view).toMatchObject({ steered_by: ['bob'], ignored_signals: { count: 0 } });
      const { steers } = await recorded(store, view.head);
      expect(steers.map(({ text, by, channel }) => [text, by, channel])).toEqual([
        ['Be short.', 'bob', 'signal'],
        ['Only euros.', 'bob', 'update'],
      ]);
    });
  });
});
