import { verify } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { mkdtemp, readdir, rm, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WorkflowNotFoundError } from '@temporalio/client';
import { ofKey, type BundleSigner } from '../../../src/attestation/bundle-signer';
import { publicKey } from '../../../src/attestation/public-key';
import { collect, noReferences } from '../../../src/audit/export/references';
import type { Bodies, BundleLine, EndBody, LineKind } from '../../../src/audit/format/lines';
import { readLines } from '../../../src/audit/format/reader';
import { verifyBundle } from '../../../src/audit/verify';
import { HoldfastClient, type BundleOf } from '../../../src/client';
import { canonical } from '../../../src/shared/json/canonical';
import { hashJson } from '../../../src/shared/json/digests';
import type { Json } from '../../../src/shared/json/json';
import { FileStore } from '../../../src/store/files/file-store';
import { BUNDLE_KEY, sample, SAMPLES, TRUST } from '../../support/bundle-keys';
import { withEngine, type Engine } from '../support/engine';
import { talk } from '../support/sessions';
import { ask, say } from '../../support/scripted-model';
import { pays } from '../../support/tools';

const invoice = { invoice: 'INV-7', cents: 700 };
const samples = readdirSync(SAMPLES)
  .filter((file) => file.endsWith('.jsonl'))
  .map((file) => file.slice(0, -'.jsonl'.length));

async function linesOf(text: string): Promise<BundleLine[]> {
  const lines: BundleLine[] = [];
  const chunks = async function* () {
    yield Buffer.from(text);
  };
  for await (const line of readLines(chunks())) lines.push(line);
  return lines;
}

function bodies<K extends LineKind>(lines: BundleLine[], kind: K): Bodies[K][] {
  return lines.filter((line) => line.kind === kind).map(({ body }) => body as Bodies[K]);
}

/** Faults in how the lines belong together; the verifier checks the rest. */
function faults(lines: BundleLine[]): string[] {
  const found: string[] = [];
  const parts = new Set<string>();
  const blocks = new Set<string>();
  for (const { n, kind, body } of lines) {
    const fault = (text: string) => void found.push(`line ${n}: ${text}`);
    if (kind === 'object' && hashJson(body.value) !== body.ref) fault('not the object that it is named');
    if (kind === 'part') {
      if (parts.has(body.ref)) fault('a part comes twice');
      if (body.part !== null && hashJson(body.part as unknown as Json) !== body.ref) fault('not the part that it is named');
      parts.add(body.ref);
    }
    if (kind === 'block') {
      if (hashJson(body.block as unknown as Json) !== body.ref) fault('not the block that it is named');
      if (body.block.parent !== null && !blocks.has(body.block.parent)) fault('its parent did not come before');
      if (body.block.parts.some((part) => !parts.has(part))) fault('a part of it did not come before');
      if (blocks.has(body.ref)) fault('a block comes twice');
      blocks.add(body.ref);
    }
    if (kind === 'turn_end' && body.head !== null && !blocks.has(body.head)) fault('its head did not come before');
  }
  return found;
}

function signedRight({ signature, ...rest }: EndBody): boolean {
  return verify(
    null,
    Buffer.from(canonical(rest as unknown as Json)),
    publicKey(rest.public),
    Buffer.from(signature, 'base64url'),
  );
}

describe('the sample bundles', () => {
  it.each(samples)('%s: every line follows from what came before it', async (name) => {
    const lines = await linesOf(await sample(name));
    expect(faults(lines)).toEqual([]);
    const [end] = bodies(lines, 'end');
    expect(end).toMatchObject({ root: lines.at(-1)!.prev, lines: lines.length, kid: BUNDLE_KEY.kid });
    expect(signedRight(end!)).toBe(true);
    expect(end!.complete).toBe(!['running', 'set_aside', 'terminated'].includes(name));
  });

  it('have runs, branches, and turns below and beside each other', async () => {
    const began = async (name: string) => bodies(await linesOf(await sample(name)), 'run').map((run) => run.began);
    expect(await began('reset')).toEqual(['start', 'reset']);
    expect(await began('continued')).toEqual(['start', 'continued']);
    const turns = async (name: string) => bodies(await linesOf(await sample(name)), 'turn');
    const [above, below] = await turns('sub_agent');
    expect(below!.parent).toEqual({ turn_id: above!.turn_id, call_id: '1.1' });
    expect((await turns('session')).map(({ turn_id }) => turn_id.split('.')[1])).toEqual(['1', '2', '3']);
    const reset = bodies(await linesOf(await sample('reset')), 'block');
    const branches = reset.filter(({ block }, index) => block.parent !== (reset[index - 1]?.ref ?? null));
    expect(branches).toHaveLength(1);
  });
});

it('a reference counts only where the engine has written it', () => {
  const hash = (digit: string) => digit.repeat(64);
  const found = noReferences();
  const foreign = { result_ref: hash('d') };
  collect(
    { result_ref: hash('a'), policy_ref: hash('b'), calls: [{ input_ref: hash('c'), input: foreign }], data: foreign },
    found,
  );
  collect([{ content: [foreign], card_ref: 'short', callback_ref: hash('e') }], found);
  expect([...found.parts]).toEqual([hash('a'), hash('c')]);
  expect([...found.objects]).toEqual([hash('b')]);
});

describe('an export', () => {
  const script = () => [ask(['pay', invoice]), say('Paid.')];

  it('contains what there is so far, later the whole; names the bundle before; and says what the store has lost', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'holdfast-export-'));
    const store = await FileStore.open(folder);
    await withEngine({ tools: [pays('pay', [])], store, script: script() }, async (engine) => {
      const { start } = engine;
      const client = exporting(engine, ofKey(BUNDLE_KEY));
      const turn = await start();
      const [call] = await turn.waitForPending();

      const early = await exported(client, { turn: turn.id });
      expect(faults(early)).toEqual([]);
      expect(bodies(early, 'turn_end')).toMatchObject([{ complete: false, why: 'It was running still when this was exported.' }]);

      // A reader who stops early has made no bundle.
      const lines = client.bundle({ turn: turn.id });
      await lines.next();
      await lines.return(undefined);
      const failing = { ...ofKey(BUNDLE_KEY), sign: () => Promise.reject(new Error('the signer is gone')) };
      await expect(exported(exporting(engine, failing), { turn: turn.id })).rejects.toThrow('the signer is gone');

      await turn.approve(call.digest, { by: 'ana' });
      await turn.result();
      const whole = await exported(client, { turn: turn.id });
      expect(faults(whole)).toEqual([]);
      expect(bodies(whole, 'turn_end')).toMatchObject([{ complete: true, why: null }]);
      expect(bodies(whole, 'effect')).toMatchObject([{ record: { state: 'applied', digest: call.digest } }]);
      const subject = turn.workflowId;
      expect(bodies(whole, 'end')[0]).toMatchObject({ previous: { root: bodies(early, 'end')[0]!.root, subject } });

      await expect(exported(client, { turn: 'nobody' })).rejects.toThrow('There is no turn "nobody"');
      await expect(exported(client, { session: 'nobody' })).rejects.toMatchObject({ name: 'SessionNotFound' });
      const silent = await client.openSession({ agent: 'clerk' });
      await expect(exported(client, { session: silent.id })).rejects.toThrow(`The session "${silent.id}" has no turn yet`);
      await expect(exported(client, { turn: '../x' })).rejects.toMatchObject({ name: 'TurnNotFound' });
      await expect(exported(engine.client, { turn: turn.id })).rejects.toThrow('has no key for bundles');

      // Temporal forgets the turn; the store's trail leads to the rest.
      const forgotten = await exported(exporting({ ...engine, client: { temporal: forgetful } as never }, ofKey(BUNDLE_KEY)), {
        turn: turn.id,
      });
      expect(faults(forgotten)).toEqual([]);
      expect(bodies(forgotten, 'run')).toEqual([]);
      const ids = bodies(whole, 'turn')[0]!;
      expect(bodies(forgotten, 'turn')).toEqual([ids]);
      expect(bodies(forgotten, 'effect')).toEqual(bodies(whole, 'effect'));
      expect(bodies(forgotten, 'turn_end')).toMatchObject([{ complete: false, why: 'Temporal no longer has its history.' }]);

      const [, second] = bodies(whole, 'block');
      const [{ record }] = bodies(whole, 'effect') as [{ record: { result_ref: string } }];
      for (const name of [second!.ref, record.result_ref]) await lose(folder, name);
      const less = await exported(exporting({ ...engine, store: await FileStore.open(folder) }, ofKey(BUNDLE_KEY)), {
        turn: turn.id,
      });
      const [end] = bodies(less, 'turn_end');
      expect(end).toMatchObject({ complete: false, why: expect.stringContaining(`cannot give block ${second!.ref}`) });
      expect(end!.why).toContain(`cannot give part ${record.result_ref}`);
      expect(faults(less)).toEqual([expect.stringContaining('its parent did not come before')]);
    });
    await rm(folder, { recursive: true });
  });
});

it('of a turn whose start was rejected has its end alone, if the conversation before it is of somebody else', () =>
  withEngine({ script: [say('SECRET-ANSWER')] }, async (engine) => {
    const { client } = engine;
    const session = await client.openSession({ agent: 'tester', requester: 'ana' });
    const { head: from } = await talk(session, 'SECRET-MESSAGE');
    const fork = await client.fork({ from: from!, requester: 'bob', of: null, agent: 'gone' });
    const { turn_id, state, head } = await talk(fork, 'And mine?');
    expect(state).toBe('failed');
    for (const subject of [{ turn: turn_id }, { session: fork.id }]) {
      const text = await textOf(exporting(engine, ofKey(BUNDLE_KEY)), subject);
      expect(text).not.toContain('SECRET');
      const lines = await linesOf(text);
      expect(bodies(lines, 'block')).toMatchObject([{ ref: head, block: { kind: 'end', parent: from } }]);
      const why = `The conversation before block ${head} is of another requester, and was left out.`;
      expect(bodies(lines, 'turn_end')).toMatchObject([{ head, complete: false, why }]);
      expect(bodies(lines, 'end')).toMatchObject([{ contradiction: null }]);
      expect(await verifyBundle([Buffer.from(text)], TRUST)).toMatchObject({ verdict: 'intact', complete: false });
    }
  }));

/** Temporal without any history. */
const forgetful = {
  options: { namespace: 'default' },
  workflow: {
    getHandle: (id: string) => ({ describe: () => Promise.reject(new WorkflowNotFoundError('not found', id, undefined)) }),
  },
};

function exporting({ client, store, taskQueue }: Engine, signer: BundleSigner): HoldfastClient {
  return new HoldfastClient(client.temporal, { taskQueue, uiUrl: null, store, bundleSigner: async () => signer });
}

async function textOf(client: HoldfastClient, of: BundleOf): Promise<string> {
  let text = '';
  for await (const line of client.bundle(of)) text += line;
  return text;
}

const exported = async (client: HoldfastClient, of: BundleOf) => linesOf(await textOf(client, of));

/** Takes an object out of a store of files, under each of its names. */
async function lose(folder: string, name: string): Promise<void> {
  expect(await readdir(join(folder, 'objects'))).toContain(name);
  await unlink(join(folder, 'objects', name));
}
