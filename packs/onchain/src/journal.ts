/**
 * The journal of swaps: stores on disk what was decided and signed for a call, before the chain gets it. It has two kinds of files.
 * Each is created once and never changed (`link`, which the file system lets exactly one process do):
 *
 * `decisions/<hash of key>.json` what was decided before the signature: a plan, with everything but the nonce, or a refusal. The
 * first decision counts, so that of two workers with one call none signs what the other has refused.
 *
 * `signed/<chain>-<account>/<nonce>.json` a signed transaction. One step takes the nonce and stores the bytes: no nonce is taken
 * without bytes that can be broadcast, so a killed worker leaves no gap that others could not fill. A worker that looks for a key's
 * transaction walks up from the nonce in the plan and finds it before the first free nonce; so two workers with one key cannot take
 * two nonces.
 *
 * The bytes are no secret, but anyone who can read them can broadcast them: only this user can read the files.
 */
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createFile, hasCode, makeDirs, sha256Hex } from 'holdfast/tools';

const integer = z.string().regex(/^(0|[1-9]\d{0,77})$/);
const hex = z.string().regex(/^0x[0-9a-f]*$/i) as unknown as z.ZodType<`0x${string}`>;

const planSchema = z.object({
  /** `ChainIdentity.name`. */
  chain: z.string(),
  chainId: z.number().int(),
  account: hex,
  router: hex,
  data: hex,
  gas: integer,
  maxFeePerGas: integer,
  maxPriorityFeePerGas: integer,
  /** The account's next nonce when the plan was made; the search starts here. */
  fromNonce: z.number().int().min(0),
  /** Unix seconds; after it the contract refuses. */
  deadline: integer,
  minOut: integer,
  /** Number of the block on which the plan was made; no earlier block can contain the swap. */
  block: integer,
});

const refusalSchema = z.object({ code: z.string(), reason: z.string(), message: z.string(), hint: z.string().optional() });

const decisionSchema = z.union([z.object({ plan: planSchema }), z.object({ refused: refusalSchema })]);

const signedSchema = z.object({ key: z.string(), nonce: z.number().int(), raw: hex, hash: hex });

export type SwapPlan = z.output<typeof planSchema>;
export type Decision = z.output<typeof decisionSchema>;
export type SignedSwap = z.output<typeof signedSchema>;

export interface SwapJournal {
  /** Stores the decision on a key unless there is one already; returns the stored one. */
  decide(key: string, decision: Decision): Promise<Decision>;
  decided(key: string): Promise<Decision | null>;
  /** The key's transaction: the stored one, or the one that `sign` makes for the first free nonce, after it is stored. */
  signed(key: string, plan: SwapPlan, sign: (nonce: number) => Promise<Pick<SignedSwap, 'raw' | 'hash'>>): Promise<SignedSwap>;
  /** The transaction that took a nonce of the plan's account. */
  signedAt(plan: SwapPlan, nonce: number): Promise<SignedSwap | null>;
}

/** A journal in a folder, shared by all workers that use the same session keys. */
export class FileJournal implements SwapJournal {
  constructor(private readonly dir: string) {}

  async decide(key: string, decision: Decision): Promise<Decision> {
    await this.create('decisions', sha256Hex(key), decision);
    const there = await this.decided(key);
    if (there === null) throw new Error(`The decision on ${key} vanished; is another program cleaning ${this.dir}?`);
    return there;
  }

  decided(key: string): Promise<Decision | null> {
    return this.read(decisionSchema, 'decisions', sha256Hex(key));
  }

  async signed(
    key: string,
    plan: SwapPlan,
    sign: (nonce: number) => Promise<Pick<SignedSwap, 'raw' | 'hash'>>,
  ): Promise<SignedSwap> {
    for (let nonce = plan.fromNonce; ; nonce++) {
      let there = await this.signedAt(plan, nonce);
      if (there === null) {
        await this.create(folderOf(plan), String(nonce), { key, nonce, ...(await sign(nonce)) });
        there = (await this.signedAt(plan, nonce))!; // ours, or that of a faster worker
      }
      if (there.key === key) return there;
    }
  }

  signedAt(plan: SwapPlan, nonce: number): Promise<SignedSwap | null> {
    return this.read(signedSchema, folderOf(plan), String(nonce));
  }

  private async create(folder: string, name: string, content: object): Promise<void> {
    await mkdir(this.dir, { recursive: true, mode: 0o700 });
    await makeDirs(this.dir, ['tmp', 'decisions', 'signed']);
    if (folder !== 'decisions') await makeDirs(join(this.dir, 'signed'), [folder.slice('signed/'.length)]);
    const bytes = Buffer.from(`${JSON.stringify(content)}\n`);
    await createFile(join(this.dir, 'tmp'), join(this.dir, folder, `${name}.json`), bytes);
  }

  private async read<T>(schema: z.ZodType<T>, folder: string, name: string): Promise<T | null> {
    const path = join(this.dir, folder, `${name}.json`);
    try {
      return schema.parse(JSON.parse(await readFile(path, 'utf8')));
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return null;
      // To continue without it could sign twice.
      throw new Error(`The file ${folder}/${name}.json of the swap journal is damaged; restore it from a backup.`, {
        cause: error,
      });
    }
  }
}

function folderOf(plan: SwapPlan): string {
  return `signed/${plan.chain}-${plan.account.toLowerCase()}`;
}
