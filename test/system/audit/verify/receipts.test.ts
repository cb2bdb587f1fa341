/**
 * Receipts by both verifiers: of a witness, whose process is killed, and of a timestamp authority, which is `openssl ts`. Behind a
 * receipt, no bundle of somebody who has stolen the bundle key is intact.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BundleArchive } from '../../../../src/audit/archive/bundle-archive';
import { MissingReceipts } from '../../../../src/audit/archive/missing-receipts';
import { completeReceipts } from '../../../../src/audit/archive/receipts';
import { keyId } from '../../../../src/attestation/public-key';
import { parseTrustedKeys, type TrustedKey } from '../../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../../src/audit/verify';
import { compareHeads, presentHead } from '../../../../src/witness/client';
import { sha256Hex } from '../../../../src/shared/json/sha256';
import { WitnessLog } from '../../../../src/witness/log';
import type { WitnessReceipt } from '../../../../src/witness/receipt';
import { serveWitness } from '../../../../src/witness/server';
import { sample, TRUST } from '../../../support/bundle-keys';
import { FORGERIES } from '../../../support/audit/forgeries';
import {
  DEMANDING_TRUST,
  movedReceipts,
  receiptFor,
  WITNESS_KEY,
  WITNESS_TRUST,
  withReceipt,
} from '../../../support/audit/receipts';
import { capturedLog } from '../../../support/captured-log';
import { rewritten } from '../../../support/rewrite-bundle';
import { sampled } from '../../../support/runs';
import { pythonVerifier } from '../../support/python-verifier';
import { linesOf, mutations } from '../support/mutations';
import { judgedByPython, type Case } from '../support/python';

const ROOT = join(__dirname, '../../../..');
const python = pythonVerifier();
const suffix = python === null ? ' (ours alone: the other needs HOLDFAST_REQUIRE_PYTHON_VERIFIER=1)' : '';
const folder = mkdtempSync(join(tmpdir(), 'holdfast-receipts-'));
const children: ChildProcess[] = [];
const servers: Server[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  for (const server of servers) server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The answers of ours, which must be those of the second verifier too. */
async function judged(cases: Case[], trust: TrustedKey[]) {
  const path = join(folder, 'trust.json');
  writeFileSync(path, JSON.stringify(trust));
  const ours = [];
  for (const { name, bytes } of cases) {
    const { verdict, line, rule, receipts, not_before } = await verifyBundle(
      [bytes],
      parseTrustedKeys(readFileSync(path, 'utf8'), path),
    );
    ours.push({ name, verdict, line, rule, receipts, not_before });
  }
  if (python === null) return ours;
  const theirs = (await judgedByPython(python, cases, path)) as unknown as typeof ours;
  expect(theirs.map((one, index) => ({ ...pick(one), name: cases[index]!.name }))).toEqual(ours);
  return ours;
}
const pick = ({ verdict, line, rule, receipts, not_before }: any) => ({ verdict, line, rule, receipts, not_before }); // oxfmt-ignore
const asCase = (name: string, text: string): Case => ({ name, bytes: Buffer.from(text) });

test(`a witness's receipts, and what is wrong with them${suffix}`, async () => {
  const bundle = await sample('approval');
  const whole = withReceipt(bundle);
  const changed = (name: string, change: (receipt: WitnessReceipt) => object) =>
    asCase(
      name,
      withReceipt(bundle, (about) => [change(receiptFor(about)) as WitnessReceipt]),
    );
  const last = linesOf(Buffer.from(whole)).length - 1;
  const bytes = sampled(
    [...mutations(Buffer.from(whole), 40)].filter(({ lines }) => lines[0]! >= last - 1),
    2,
  );
  const cases = [
    asCase('none', bundle),
    asCase('one', whole),
    asCase(
      'two',
      withReceipt(bundle, (about) => [receiptFor(about), receiptFor(about)]),
    ),
    asCase('one of the session', withReceipt(await sample('session'))),
    changed('another time', (it) => ({ ...it, at: '2026-06-01T00:00:00.000Z' })),
    changed('another place', (it) => ({ ...it, index: 3 })),
    changed('a short proof', (it) => ({ ...it, proof: it.proof.slice(1) })),
    changed('a long proof', (it) => ({ ...it, proof: [...it.proof, it.proof[0]!] })),
    changed('another head', (it) => ({ ...it, head: { ...it.head, size: 8 } })),
    changed('a field more', (it) => ({ ...it, more: 1 })),
    ...bytes.map(({ name, bytes: of }) => ({ name, bytes: of })),
  ];
  const [none, one, two, session, ...others] = await judged(cases, DEMANDING_TRUST);
  expect([none, one, two, session].map((it) => it!.verdict)).toEqual(['unwitnessed', 'intact', 'intact', 'intact']);
  // A file that is cut short just behind its trailer is the bundle without a receipt.
  const alone = Buffer.from(bundle);
  const expected = cases.slice(4).map(({ name, bytes: of }) => ({ name, verdict: of.equals(alone) ? 'unwitnessed' : 'broken' }));
  expect(others.map(({ name, verdict }) => ({ name, verdict }))).toEqual(expected);
});

test(`with a stolen bundle key nothing is intact behind a receipt${suffix}`, async () => {
  const bundle = await sample('approval');
  const receipts = withReceipt(bundle);
  const otherMaker = rewritten(bundle, ({ kind, body }) =>
    kind === 'bundle' ? { ...body, made_by: { holdfast: '9', node: '9' } } : body,
  );
  const forged = [asCase('nothing contradicts', otherMaker)];
  for (const { name, make } of sampled(FORGERIES, 12)) forged.push({ name, bytes: (await make()).bytes });
  const moved = forged.map(({ name, bytes }) =>
    asCase(`${name}, with the true receipt`, movedReceipts(receipts, bytes.toString())),
  );
  const verdicts = (await judged([...moved, ...forged], DEMANDING_TRUST)).map(({ verdict }) => verdict);
  expect(new Set(verdicts.slice(0, moved.length))).toEqual(new Set(['broken']));
  expect(new Set(verdicts.slice(moved.length))).toEqual(new Set(['unwitnessed', 'broken']));
});

describe('a witness as a process', () => {
  const HOME = join(folder, 'witness');
  const cli = (...args: string[]) => [join(ROOT, 'dist/cli/main.js'), 'witness', '--folder', HOME, '--json', ...args];

  async function start(): Promise<{ child: ChildProcess; url: string; trust: TrustedKey }> {
    const child = spawn(process.execPath, cli('--port', '0'), { stdio: ['ignore', 'pipe', 'inherit'] });
    children.push(child);
    let text = '';
    for await (const line of createInterface({ input: child.stdout! })) {
      text += line;
      try {
        return { child, ...(JSON.parse(text) as { url: string; trust: TrustedKey }) };
      } catch {
        // more lines come
      }
    }
    throw new Error('The witness has ended.');
  }

  test(`is killed, goes on, and its receipts hold${suffix}`, async () => {
    const { token } = JSON.parse(execFileSync(process.execPath, cli('--new-token'), { encoding: 'utf8' })) as { token: string };
    const first = await start();
    const head = await presentHead(first);
    const made = rewritten(await sample('approval'), ({ kind, body }) =>
      kind === 'bundle' ? { ...body, made_by: { ...body.made_by, witness_head: head! } } : body,
    );
    const [one, two] = ['one', 'two'].map((name) => join(folder, `${name}.jsonl`));
    writeFileSync(one!, made);
    writeFileSync(two!, await sample('spoken'));
    const services = (url: string) => ({ witness: { url, token }, timestamp: null });
    expect(await completeReceipts(one!, services(first.url))).toMatchObject({ faults: [], added: [{ index: 0 }] });
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');
    const { faults, added } = await completeReceipts(two!, services(first.url));
    expect({ faults: faults.length, added, text: readFileSync(two!, 'utf8') }).toEqual({
      faults: 1,
      added: [],
      text: await sample('spoken'),
    });

    const second = await start();
    expect(second.trust).toEqual(first.trust);
    expect(await completeReceipts(two!, services(second.url))).toMatchObject({ faults: [], added: [{ index: 1 }] });
    expect(await completeReceipts(two!, services(second.url))).toMatchObject({ faults: [], added: [] });
    const { body } = JSON.parse(readFileSync(one!, 'utf8').trimEnd().split('\n').at(-1)!) as { body: WitnessReceipt };
    expect(await compareHeads(second, body.head)).toMatchObject({ fault: null, now: { size: 2 } });
    const trust = [...TRUST, { ...second.trust, require: true as const }];
    const found = await judged(
      [one!, two!].map((path) => asCase(path, readFileSync(path, 'utf8'))),
      trust,
    );
    expect(found).toMatchObject([
      { verdict: 'intact', receipts: [{ state: 'holds', at: body.at }], not_before: { at: head!.at } },
      { verdict: 'intact', receipts: [{ state: 'holds' }], not_before: null },
    ]);
  });
});

describe('a timestamp authority, openssl ts', () => {
  let url = '';
  let authority: TrustedKey;

  beforeAll(async () => {
    makeAuthority(folder);
    const certificate = execFileSync('openssl', ['x509', '-in', join(folder, 'ca.pem'), '-outform', 'DER']);
    const raw = certificate.toString('base64url');
    authority = { kid: keyId(raw), public: raw, use: 'timestamp', created_at: '2026-01-01T00:00:00.000Z', require: true };
    const server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        writeFileSync(join(folder, 'query.tsq'), Buffer.concat(parts));
        openssl('ts', '-reply', '-config', 'tsa.cnf', '-section', 'tsa', '-queryfile', 'query.tsq', '-out', 'reply.tsr');
        response.end(readFileSync(join(folder, 'reply.tsr')));
      });
    });
    servers.push(server.listen(0, '127.0.0.1'));
    await once(server, 'listening');
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  test('a bundle gets the receipts of an authority and of a witness that answer at the same time', async () => {
    const TOKEN = 'hft_a-token-of-the-witness';
    const log = await WitnessLog.open(join(folder, 'both.log'), WITNESS_KEY);
    const witness = await serveWitness({ log, tokens: [sha256Hex(TOKEN)] }, { host: '127.0.0.1', port: 0 });
    const archive = new BundleArchive(join(folder, 'both'));
    const services = { witness: { url: witness.url, token: TOKEN }, timestamp: url };
    const missing = new MissingReceipts(archive, services, capturedLog().log);
    const names = Array.from({ length: 8 }, (_, index) => `2026-01-30/inv-${index}@01234567.jsonl`);
    mkdirSync(join(folder, 'both', '2026-01-30'), { recursive: true });
    for (const name of names) {
      writeFileSync(archive.pathOf(name), await sample('approval'));
      await missing.note(name);
    }
    await missing.ask();
    for (const name of names) {
      const { verdict, receipts } = await verifyBundle([readFileSync(archive.pathOf(name))], [...WITNESS_TRUST, authority]);
      expect([verdict, receipts.map(({ by, state }) => [by, state]).sort()]).toEqual([
        'intact',
        [
          ['timestamp', 'holds'],
          ['witness', 'holds'],
        ],
      ]);
    }
    await witness.close();
  });

  test(`its timestamps hold, and each changed byte that it signed is found${suffix}`, async () => {
    const bundle = await sample('approval');
    const path = join(folder, 'stamped.jsonl');
    writeFileSync(path, bundle);
    expect(await completeReceipts(path, { witness: null, timestamp: url })).toMatchObject({
      faults: [],
      added: [{ by: 'timestamp' }],
    });
    const text = readFileSync(path, 'utf8');
    const { body } = JSON.parse(text.trimEnd().split('\n').at(-1)!) as { body: { response: string } };
    const response = Buffer.from(body.response, 'base64');
    const withResponse = (bytes: Buffer) => withReceipt(bundle, () => [{ by: 'timestamp', response: bytes.toString('base64') }]);
    const trust = [...TRUST, authority];
    const [whole, moved, none] = await judged(
      [asCase('whole', text), asCase('of another bundle', movedReceipts(text, await sample('spoken'))), asCase('none', bundle)],
      trust,
    );
    expect(whole).toMatchObject({ verdict: 'intact', receipts: [{ by: 'timestamp', state: 'holds', kid: authority.kid }] });
    expect(moved).toMatchObject({ verdict: 'broken', rule: 'S9' });
    expect(none).toMatchObject({ verdict: 'unwitnessed' });
    const elsewhere = await judged([asCase('of nobody', text)], WITNESS_TRUST);
    expect(elsewhere).toMatchObject([{ verdict: 'intact', receipts: [{ state: 'unknown signer' }] }]);
    // The signature is the last thing in it; the time stands before the certificates.
    for (const at of [response.length - 1, response.length - 100, response.indexOf(Buffer.from('Z', 'latin1'), 60) - 1]) {
      const changed = Buffer.from(response);
      changed[at]! ^= 1;
      const { verdict } = await verifyBundle(
        [Buffer.from(withResponse(changed))],
        parseTrustedKeys(JSON.stringify(trust), 'keys'),
      );
      expect([at, verdict]).not.toEqual([at, 'intact']);
    }
  });
});

function openssl(...args: string[]): void {
  execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
}

/** A root, a certificate for timestamps below it, and the settings of the authority. */
function makeAuthority(home: string): void {
  writeFileSync(join(home, 'serial'), '01\n');
  writeFileSync(
    join(home, 'tsa.cnf'),
    `[tsa]
serial = ./serial
signer_cert = ./tsa.pem
certs = ./tsa.pem
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
crypto_device = builtin
[signer]
basicConstraints = critical,CA:FALSE
keyUsage = critical,digitalSignature
extendedKeyUsage = critical,timeStamping
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
`,
  );
  const rsa = ['-newkey', 'rsa:2048', '-nodes', '-sha256'];
  openssl('req', '-x509', ...rsa, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '30', '-subj', '/CN=Root of a test');
  openssl('req', ...rsa, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', '/CN=Authority of a test');
  const sign = [
    'x509',
    '-req',
    '-in',
    'tsa.csr',
    '-CA',
    'ca.pem',
    '-CAkey',
    'ca.key',
    '-set_serial',
    '2',
    '-days',
    '30',
    '-sha256',
  ];
  openssl(...sign, '-extfile', 'tsa.cnf', '-extensions', 'signer', '-out', 'tsa.pem');
}
