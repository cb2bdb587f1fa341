import { randomBytes } from 'node:crypto';
import { AmbiguousKey, TurnNotFound } from '../../../src/client/errors';
import { say } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { withEngine } from '../support/engine';

const fresh = (what: string) => `${what}-${randomBytes(6).toString('hex')}`;

describe('a turn found by the idempotency key of the principal who started it', () => {
  it('is the one of this id, of the command line under this key, or of another principal', () =>
    withEngine({ script: ['One.', 'Two.', 'Three.'].map((text) => say(text)) }, async ({ client, start }) => {
      const [plain, spaced, named] = [fresh('plain'), `invoice ${fresh('7/8')}`, fresh('named')];
      const local = await start('Say it.', { id: plain });
      const hashed = await start('Say it.', { id: spaced });
      const of = await start('Say it.', { id: named, requester: 'acme/rita' });
      await Promise.all([local, hashed, of].map((turn) => turn.result()));
      expect((await client.turnNamed(plain)).id).toBe(plain);
      expect((await client.turnNamed(spaced)).id).toBe(hashed.id);
      expect((await client.turnNamed(hashed.id)).id).toBe(hashed.id);
      expect((await client.turnNamed(named)).id).toBe(of.id);
      const keys = await Promise.all([local, hashed, of].map(async ({ id }) => (await client.find(id)).key));
      expect(keys).toEqual([null, spaced, named]);
    }));

  it('may be a direct call', () =>
    withEngine({ tools: [reads('look', async ({ key }) => ({ found: key }))] }, async ({ client }) => {
      const key = fresh('look');
      const call = await client.call({ tool: 'look', input: { key: 'a' }, agent: 'tester', requester: 'acme/rita', id: key });
      await call.result();
      const found = await client.turnNamed(key);
      expect(found.id).toMatch(/^call\/k_[0-9a-f]{40}$/);
      expect(await client.find(found.id)).toMatchObject({ key, requester: 'acme/rita' });
    }));

  it('is not guessed where two principals have used the key, nor where nobody has', () =>
    withEngine({ script: ['One.', 'Two.'].map((text) => say(text)) }, async ({ client, start }) => {
      const key = fresh('inv');
      const turns = [];
      for (const requester of ['acme/rita', 'globex/eve']) turns.push(await start('Say it.', { id: key, requester }));
      await Promise.all(turns.map((turn) => turn.result()));
      const asked = client.turnNamed(key);
      await expect(asked).rejects.toThrow(AmbiguousKey);
      for (const { id } of turns) await expect(asked).rejects.toThrow(id);
      for (const wrong of [fresh('nothing'), '', '../x', 'half \ud800', "x' OR '1' = '1"])
        await expect(client.turnNamed(wrong)).rejects.toThrow(TurnNotFound);
    }));
});
