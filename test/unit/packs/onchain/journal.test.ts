import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FileJournal, type SwapPlan } from '../../../../packs/onchain/src';

const plan: SwapPlan = {
  chain: '31337-0011223344556677',
  chainId: 31337,
  account: '0x00000000000000000000000000000000000000Aa',
  router: '0x00000000000000000000000000000000000000bb',
  data: '0x00',
  gas: '1',
  maxFeePerGas: '1',
  maxPriorityFeePerGas: '1',
  fromNonce: 7,
  deadline: '1',
  minOut: '1',
  block: '1',
};
const signer = (who: string) => async (nonce: number) =>
  ({ raw: `0x${who}${nonce.toString(16).padStart(2, '0')}`, hash: '0x00' }) as const;

describe('the swap journal', () => {
  let dir: string;
  let journal: FileJournal;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'holdfast-journal-'));
    journal = new FileJournal(join(dir, 'swaps'));
  });
  afterEach(() => rm(dir, { recursive: true, force: true }));

  it('keeps the first decision on a key', async () => {
    expect(await journal.decided('hf_1')).toBeNull();
    const refused = { code: 'INVALID_PARAMS', reason: 'price_moved', message: 'No.' };
    expect(await journal.decide('hf_1', { refused })).toEqual({ refused });
    expect(await journal.decide('hf_1', { plan })).toEqual({ refused });
    expect(await journal.decide('hf_2', { plan })).toEqual({ plan });
    expect(await journal.decided('hf_2')).toEqual({ plan });
  });

  it('gives each key one nonce, also for simultaneous requests, and every nonce to one key', async () => {
    const keys = Array.from({ length: 8 }, (_, index) => `hf_${index}`);
    const askers = keys.flatMap((key) =>
      [0, 1, 2].map((who) => ({ key, asker: new FileJournal(join(dir, 'swaps')), who: `0${who}` })),
    );
    const got = await Promise.all(askers.map(({ key, asker, who }) => asker.signed(key, plan, signer(who))));
    for (const key of keys) expect(new Set(got.filter((one) => one.key === key).map((one) => one.raw)).size).toBe(1);
    expect([...new Set(got.map((one) => one.nonce))].sort((a, b) => a - b)).toEqual([7, 8, 9, 10, 11, 12, 13, 14]);
  });

  it('answers with the stored bytes, and does not sign a second time', async () => {
    const first = await journal.signed('hf_1', plan, signer('aa'));
    expect(await journal.signed('hf_1', plan, () => Promise.reject(new Error('signed twice')))).toEqual(first);
    expect(await journal.signedAt(plan, 7)).toEqual({ key: 'hf_1', nonce: 7, raw: '0xaa07', hash: '0x00' });
    expect(await journal.signedAt(plan, 8)).toBeNull();
  });

  it('takes no nonce when signing fails', async () => {
    await expect(journal.signed('hf_1', plan, () => Promise.reject(new Error('no HSM')))).rejects.toThrow('no HSM');
    expect((await journal.signed('hf_2', plan, signer('bb'))).nonce).toBe(7);
  });

  it('is for this user alone', async () => {
    await journal.signed('hf_1', plan, signer('aa'));
    const names = await readdir(dir, { recursive: true, withFileTypes: true });
    const modes = await Promise.all(names.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mode & 0o077));
    expect(names.length).toBeGreaterThan(4);
    expect(modes.every((mode) => mode === 0)).toBe(true);
  });

  it('stops at a damaged file instead of signing again', async () => {
    await journal.signed('hf_1', plan, signer('aa'));
    const [folder] = await readdir(join(dir, 'swaps/signed'));
    await writeFile(join(dir, 'swaps/signed', folder!, '7.json'), '{"key":');
    await expect(journal.signed('hf_1', plan, signer('aa'))).rejects.toThrow(/7\.json of the swap journal is damaged/);
  });
});
