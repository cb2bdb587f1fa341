import { serveGateway, type RunningGateway } from '../../../src/gateway/serve';
import { Tokens } from '../../../src/gateway/auth/principals';
import { eventually, withEngine, type Engine, type Setup } from '../support/engine';
import { gatewayParts, person } from '../../support/gateway';
import { ask, say } from '../../support/scripted-model';
import { Signers } from '../../support/signers';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };

const ana = person('ana', 'approver', 'treasurer');
const bob = person('bob', 'approver', 'treasurer');
const clerk = person('carl', 'approver');
const auditor = person('olga', 'auditor');
const people = [ana, bob, clerk, auditor];

interface Scene extends Engine {
  effects: unknown[];
  gateway: RunningGateway;
  post(turn: string, token: string | null, body: unknown, key?: string): Promise<{ status: number; body: any }>;
}

async function scene(setup: Partial<Setup>, body: (scene: Scene) => Promise<void>): Promise<void> {
  const signers = new Signers();
  const effects: unknown[] = [];
  const settings = { approvals: 'attested' as const, trust: signers.trust };
  const signingKey = await signers.file(signers.gateway);
  const script = [ask(['pay', invoice]), say('done')];
  await withEngine({ tools: [pays('pay', effects)], script, settings, signingKey, ...setup }, async (engine) => {
    const parts = gatewayParts({ people, store: engine.store, key: signers.gateway, client: async () => engine.client });
    const gateway = await serveGateway(parts, { host: '127.0.0.1', port: 0 });
    const post = async (turn: string, token: string | null, sent: unknown, key?: string) => {
      const response = await fetch(`${gateway.url}/v1/turns/${encodeURIComponent(turn)}/decisions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { 'idempotency-key': key }),
        },
        body: typeof sent === 'string' ? sent : JSON.stringify(sent),
      });
      return { status: response.status, body: await response.json() };
    };
    try {
      await body({ ...engine, effects, gateway, post });
    } finally {
      await gateway.close();
      signers.remove();
    }
  });
}

describe('decisions through the gateway', () => {
  it('sent again under the same key are answered as before, also after the turn has ended; another body is refused', () =>
    scene({}, async ({ start, post, effects }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const decision = { call: digest, decision: 'approve' };
      const refused = await post(turn.id, ana.token, { call: '0'.repeat(64), decision: 'approve' }, 'none');
      expect(refused.status).toBe(409);
      const first = await post(turn.id, ana.token, decision, 'once');
      expect(first).toMatchObject({ status: 200, body: { accepted: true, by: 'ana', calls: [digest], now: [{ digest }] } });
      expect(await post(turn.id, ana.token, decision, 'once')).toEqual(first);
      await turn.result();
      expect(await post(turn.id, ana.token, decision, 'once')).toEqual(first);
      expect((await post(turn.id, ana.token, decision, 'another')).status).toBe(409);
      expect((await post(turn.id, bob.token, decision, 'once')).status).toBe(409);
      expect(await post(turn.id, ana.token, { ...decision, note: 'n' }, 'once')).toMatchObject({
        status: 409,
        body: { error: { reason: 'key_used' } },
      });
      // A refusal is not kept: the request is judged again.
      expect(await post(turn.id, ana.token, { call: '0'.repeat(64), decision: 'approve' }, 'none')).toMatchObject({
        status: 409,
      });
      expect(effects).toEqual([invoice]);
    }));

  it('are signed for the principal of the token: two principals approve, and the call runs', () =>
    scene({ agent: { approvals: { quorum: 2, roles: ['treasurer'] } } }, async ({ start, post, effects }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const first = await post(turn.id, ana.token, { call: digest.slice(0, 12), decision: 'approve', note: 'checked' });
      const now = [{ digest, state: 'waiting', approvals: 1, quorum: 2 }];
      expect(first).toEqual({ status: 200, body: { accepted: true, by: 'ana', calls: [digest], now } });
      const again = await post(turn.id, ana.token, { call: digest, decision: 'approve' });
      expect(again).toMatchObject({
        status: 409,
        body: { success: false, error: { code: 'CONFIRMATION_REQUIRED', reason: 'not_accepted' } },
      });
      expect(again.body.error.message).toContain('ana has decided on call');
      const lacking = await post(turn.id, clerk.token, { call: digest, decision: 'approve' });
      expect(lacking).toMatchObject({ status: 409, body: { error: { message: expect.stringContaining('none of the roles') } } });
      expect(effects).toEqual([]);
      expect((await post(turn.id, bob.token, { calls: [digest], decision: 'approve', by: 'Bob' })).status).toBe(200);
      const view = await turn.result();
      expect(view.calls[0]!.approval.decisions).toMatchObject([
        { by: 'ana', note: 'checked', attested: true },
        { by: 'bob', attested: true },
      ]);
      expect(effects).toEqual([invoice]);
    }));

  it('edit and deny', () =>
    scene({}, async ({ start, post, effects }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const input = { invoice: 'INV-7', cents: 1 };
      expect((await post(turn.id, ana.token, { call: digest, decision: 'approve', input })).status).toBe(200);
      const [next] = await turn.waitForPending();
      expect(next.revision).toBe(2);
      expect((await post(turn.id, bob.token, { call: next.digest, decision: 'deny', note: 'no' })).status).toBe(200);
      expect((await turn.result()).calls[1]).toMatchObject({ state: 'denied', approval: { by: ['bob'], note: 'no' } });
      expect(effects).toEqual([]);
    }));

  it('of a direct call are sent to its id, slash and all', () =>
    scene({}, async ({ call, post, effects }) => {
      const { turn } = await call('pay', invoice);
      const [{ digest }] = await turn.waitForPending();
      expect(turn.id).toMatch(/^call\//);
      expect((await post(turn.id, ana.token, { call: digest, decision: 'approve' })).status).toBe(200);
      await turn.result();
      expect(effects).toEqual([invoice]);
    }));

  it('take a token with the role, one name, and a body that is right; a refused request changes nothing', () =>
    scene({}, async ({ start, post, effects, gateway }) => {
      const turn = await start();
      const [{ digest }] = await turn.waitForPending();
      const good = { call: digest, decision: 'approve' };
      const cases: [string | null, unknown, number, string][] = [
        [null, good, 401, 'UNAUTHORIZED'],
        ['hft_wrong_wrong_wrong_wrong', good, 401, 'UNAUTHORIZED'],
        [`${ana.token}x`, good, 401, 'UNAUTHORIZED'],
        [auditor.token, good, 403, 'PERMISSION_DENIED'],
        [ana.token, { ...good, by: 'bob' }, 400, 'INVALID_PARAMS'],
        [ana.token, { ...good, attestation: 'x.y' }, 400, 'INVALID_PARAMS'],
        [ana.token, { ...good, decision: 'expired' }, 400, 'INVALID_PARAMS'],
        [ana.token, { ...good, decision: '__proto__' }, 400, 'INVALID_PARAMS'],
        [ana.token, { ...good, roles: ['admin'] }, 400, 'INVALID_PARAMS'],
        [ana.token, { decision: 'approve' }, 400, 'INVALID_PARAMS'],
        [ana.token, [good], 400, 'INVALID_PARAMS'],
        [ana.token, 'null', 400, 'INVALID_PARAMS'],
        [ana.token, `{"call":"${digest}","decision":"deny","decision":"approve"}`, 400, 'INVALID_PARAMS'],
        [ana.token, { ...good, call: 'f'.repeat(64) }, 409, 'CONFIRMATION_REQUIRED'],
        [ana.token, { ...good, decision: 'settle', outcome: 'applied' }, 409, 'CONFIRMATION_REQUIRED'],
      ];
      for (const [token, body, status, code] of cases) {
        const answer = await post(turn.id, token, body);
        expect({ sent: body, status: answer.status, code: answer.body.error?.code }).toEqual({ sent: body, status, code });
        expect(JSON.stringify(answer.body)).not.toContain(ana.token);
      }
      expect(await post('no-such-turn', ana.token, good)).toMatchObject({
        status: 404,
        body: { error: { reason: 'unknown_turn' } },
      });
      const pending = (token: string | null) =>
        fetch(`${gateway.url}/v1/pending`, { headers: token === null ? {} : { authorization: `bearer ${token}` } });
      expect((await pending(null)).status).toBe(401);
      expect((await pending(null)).headers.get('www-authenticate')).toBe('Bearer');
      const listed = await eventually('it is listed', async () => {
        const { turns } = (await (await pending(auditor.token)).json()) as { turns: { turn_id: string; calls: any[] }[] };
        return turns.find(({ turn_id }) => turn_id === turn.id);
      });
      expect(listed.calls.map((call) => call.digest)).toEqual([digest]);
      expect(effects).toEqual([]);
      expect((await turn.status()).calls[0]!.approval.decisions).toEqual([]);
      await turn.cancel();
      await turn.result();
    }));
});

describe('a gateway without tokens', () => {
  it('answers 401 and says what to set', async () => {
    const gateway = await serveGateway(gatewayParts(), { host: '127.0.0.1', port: 0 });
    try {
      const response = await fetch(`${gateway.url}/v1/pending`, { headers: { authorization: `Bearer ${ana.token}` } });
      expect(response.status).toBe(401);
      expect(((await response.json()) as any).error.hint).toContain('HOLDFAST_TOKENS');
    } finally {
      await gateway.close();
    }
  });
});

describe('a bearer token', () => {
  it('names its principal, and no other text does', () => {
    const tokens = new Tokens(people.map(({ entry }) => entry));
    expect(tokens.principalOf(`Bearer ${bob.token}`)?.name).toBe('bob');
    for (const header of [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      `Basic ${bob.token}`,
      `Bearer ${bob.token} `,
      `Bearer  ${bob.token}`,
      bob.token,
      `Bearer ${bob.entry.token_sha256}`,
    ])
      expect(tokens.principalOf(header)).toBeNull();
  });
});
