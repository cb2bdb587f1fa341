/** Files in messages, from the upload to the verified bundle: who may name and fetch them, what the model gets, and what history has. */
import { randomBytes } from 'node:crypto';
import { SigningKey } from '../../../src/attestation/signing-key';
import { trustedEntry } from '../../../src/attestation/gateway-key';
import { ofKey } from '../../../src/attestation/bundle-signer';
import { redact } from '../../../src/audit/redact/redact';
import { verifyBundle } from '../../../src/audit/verify';
import { content } from '../../../src/tools/results/result-files';
import { GIF, pdf, png } from '../../support/files/samples';
import { bundleOf } from '../../support/bundle-of';
import { ask, say } from '../../support/scripted-model';
import { reads } from '../../support/tools';
import { ana, eve, gatewayScene, rita, ron, type Scene } from '../support/gateway-scene';
import type { Person } from '../../support/gateway';

const INVOICE = pdf(`BT (Invoice ${randomBytes(8).toString('hex')}) Tj ET`);
const key = SigningKey.generate();
const trust = [trustedEntry(key, { bundle: true })];

const put = (scene: Scene, who: Person | null, bytes: Buffer, name = 'invoice.pdf', type = 'application/octet-stream') =>
  scene.send(who, 'POST', `/v1/files?name=${name}`, bytes, { 'content-type': type });

async function turnWith(scene: Scene, message: unknown): Promise<string> {
  const { status, body } = await scene.send(rita, 'POST', '/v1/turns', { agent: 'tester', message });
  expect({ status, body }).toMatchObject({ status: 202 });
  await scene.client.turn(body.turn_id).result();
  return body.turn_id;
}

const unsigned = { settings: {}, script: [say('Seen.')] };

it('a PDF goes to the model as it came, and history has only its reference; the bundle has it and verifies', () =>
  gatewayScene(unsigned, async (scene) => {
    const { body: file } = await put(scene, rita, INVOICE);
    expect(file).toMatchObject({ type: 'document', name: 'invoice.pdf', media_type: 'application/pdf', size: INVOICE.length });
    const id = await turnWith(scene, [
      { type: 'text', text: 'Pay this.' },
      file,
      { type: 'image', data: png(5).toString('base64'), name: 'stamp.png' },
    ]);
    expect(scene.model.requests[0]!.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Pay this.' },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: INVOICE.toString('base64') },
            title: 'invoice.pdf',
          },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png(5).toString('base64') } },
        ],
      },
    ]);
    const history = JSON.stringify(await scene.client.temporal.workflow.getHandle(`turn/${id}`).fetchHistory());
    expect(history).not.toContain(INVOICE.toString('base64').slice(0, 60));
    const { body: transcript } = await scene.send(rita, 'GET', `/v1/turns/${id}/transcript`);
    const message = transcript.entries.find(({ kind }: any) => kind === 'message');
    expect(message).toMatchObject({
      text: 'Pay this.',
      files: [
        { file: file.file, name: 'invoice.pdf' },
        { name: 'stamp.png', media_type: 'image/png' },
      ],
      other: [],
    });

    const bundle = await bundleOf(scene.client.temporal, scene.store, id, key);
    expect(bundle).toContain(INVOICE.toString('base64'));
    expect(await verifyBundle([Buffer.from(bundle)], trust)).toMatchObject({ verdict: 'intact', why: expect.anything() });
  }));

it('a redaction of the messages takes the files with them, and what is left verifies', () =>
  gatewayScene(unsigned, async (scene) => {
    const { body: file } = await put(scene, rita, INVOICE, 'secret-invoice.pdf');
    const id = await turnWith(scene, [file]);
    const bundle = Buffer.from(await bundleOf(scene.client.temporal, scene.store, id, key));
    async function* source() {
      yield bundle;
    }
    let redacted = '';
    const scope = { messages: true, calls: [], parts: [], reason: 'private', signer: ofKey(key) };
    for await (const line of redact(source, scope)) redacted += line;
    expect(redacted).not.toContain(INVOICE.toString('base64').slice(0, 60));
    expect(redacted).not.toContain('secret-invoice');
    expect(await verifyBundle([Buffer.from(redacted)], trust)).toMatchObject({ verdict: 'intact' });
  }));

it('a file of another tenant, or of somebody else, is as one that does not exist', () =>
  gatewayScene(unsigned, async (scene) => {
    const { body: file } = await put(scene, rita, INVOICE);
    const url = `/v1/files/${file.file}`;
    const nothing = `/v1/files/${'e'.repeat(64)}`;
    for (const who of [eve, ron]) {
      const [theirs, none] = [await scene.send(who, 'GET', url), await scene.send(who, 'GET', nothing)];
      expect([theirs.status, none.status]).toEqual([404, 404]);
      expect(theirs.body.error.message.replace(file.file, '')).toBe(none.body.error.message.replace('e'.repeat(64), ''));
    }
    for (const who of [eve, ron])
      for (const ref of [file.file, file.sha256, 'e'.repeat(64)]) {
        const message = [{ type: 'document', file: ref }];
        const answers = [
          await scene.send(who, 'POST', '/v1/turns', { agent: 'tester', message }),
          await scene.send(who, 'POST', '/v1/sessions', { agent: 'tester', message }),
        ];
        for (const { status, body } of answers)
          expect({ status, message: body.error.message }).toEqual({ status: 404, message: `There is no file ${ref} of yours.` });
      }
    // An approver of the tenant sees what the owner has started.
    const seen = await scene.app.inject({ method: 'GET', url, headers: ana.headers });
    expect(seen.statusCode).toBe(200);
    expect(seen.rawPayload.equals(INVOICE)).toBe(true);
  }));

it('a start that goes round the gateway cannot name the file of somebody else', () =>
  gatewayScene(unsigned, async (scene) => {
    const { body: file } = await put(scene, rita, INVOICE);
    const { sha256: _, ...part } = file;
    const turn = await scene.client.start({ agent: 'tester', requester: 'globex/eve', message: [part] });
    const view = await turn.result();
    expect(view).toMatchObject({ state: 'failed', reason: expect.stringContaining(`There is no file ${part.file} of yours`) });
    expect(scene.model.requests).toEqual([]);
  }));

it('a file is given so that a browser runs nothing of it: text and PDF are saved, a picture is drawn', () =>
  gatewayScene(unsigned, async (scene) => {
    const html = Buffer.from('<!doctype html><script>alert(1)</script>');
    const headersOf = async (bytes: Buffer, name: string) => {
      const { body } = await put(scene, rita, bytes, name);
      return (await scene.app.inject({ method: 'GET', url: `/v1/files/${body.file}`, headers: rita.headers })).headers;
    };
    const common = { 'x-content-type-options': 'nosniff', 'content-security-policy': "default-src 'none'; sandbox" };
    expect(await headersOf(html, 'page.html')).toMatchObject({
      ...common,
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': expect.stringMatching(/^attachment; filename="page.html"/),
    });
    expect(await headersOf(INVOICE, 'a.pdf')).toMatchObject({
      ...common,
      'content-type': 'application/pdf',
      'content-disposition': expect.stringMatching(/^attachment/),
    });
    expect(await headersOf(GIF, 'a.gif')).toMatchObject({
      ...common,
      'content-type': 'image/gif',
      'content-disposition': expect.stringMatching(/^inline/),
    });
  }));

it('refuses what is no file that is taken, says why, and starts nothing', () =>
  gatewayScene(unsigned, async (scene) => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
    expect(await put(scene, rita, svg, 'a.png', 'image/png')).toMatchObject({
      status: 400,
      body: { error: { reason: 'bad_file' } },
    });
    expect(await put(scene, rita, Buffer.concat([png(), Buffer.from('PK\x03\x04')]), 'a.png')).toMatchObject({ status: 400 });
    expect(await put(scene, rita, Buffer.alloc(0))).toMatchObject({ status: 400 });
    expect(await put(scene, ana, INVOICE)).toMatchObject({ status: 403 });
    expect(await put(scene, null, INVOICE)).toMatchObject({ status: 401 });
    expect(await put(scene, rita, Buffer.alloc(32 * 1024 * 1024 + 1))).toMatchObject({ status: 413 });
    const start = (message: unknown) => scene.send(rita, 'POST', '/v1/turns', { agent: 'tester', message });
    const parts = Array.from({ length: 10_000 }, () => ({ type: 'text', text: 'x' }));
    for (const message of [
      parts,
      [],
      [{ type: 'video', data: 'AAAA' }],
      [{ type: 'image', data: 'no base64!' }],
      [{ type: 'image', url: 'http://127.0.0.1/' }],
    ])
      expect(await start(message)).toMatchObject({ status: 400 });
    const twoMegabytes = { type: 'document', data: Buffer.alloc(900_000, 'text ').toString('base64') };
    expect(await start([twoMegabytes, twoMegabytes])).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('POST /v1/files') } },
    });
    expect(scene.model.requests).toEqual([]);
  }));

it('a session takes files too, and a later turn still shows them to the model', () =>
  gatewayScene({ settings: {}, script: [say('One.'), say('Two.')] }, async (scene) => {
    const { body: file } = await put(scene, rita, INVOICE);
    const { body: session } = await scene.send(rita, 'POST', '/v1/sessions', {
      agent: 'tester',
      message: [{ type: 'text', text: 'Look.' }, file],
    });
    const { body: sent } = await scene.send(rita, 'POST', `/v1/sessions/${session.session_id}/messages`, { message: 'And now?' });
    await (await scene.client.session(session.session_id).started(sent.turn_id)).result();
    const kinds = scene.model.requests[1]!.messages[0]!.content.map(({ type }) => type);
    expect(kinds).toEqual(['text', 'document']);
  }));

it('what a tool shows goes to the model after the text of its result, and not the bytes in the text', () => {
  const chart = reads('chart', () => content('The chart:', { type: 'image', bytes: png(7), name: 'chart.png' }));
  return gatewayScene({ settings: {}, tools: [chart], script: [ask(['chart', {}]), say('I see.')] }, async (scene) => {
    const id = await turnWith(scene, 'Draw it.');
    const [result] = scene.model.requests[1]!.messages.at(-1)!.content;
    const [text, image] = result!.content as any[];
    expect(image).toEqual({
      type: 'image',
      source: { type: 'base64', media_type: 'image/png', data: png(7).toString('base64') },
    });
    expect(text.text).toContain('"shown":true');
    expect(text.text).not.toContain(png(7).toString('base64'));
    const bundle = await bundleOf(scene.client.temporal, scene.store, id, key);
    expect(await verifyBundle([Buffer.from(bundle)], trust)).toMatchObject({ verdict: 'intact' });
  });
});

it('a tool cannot show a file of somebody else by its reference', () =>
  gatewayScene({ settings: {}, script: [] }, async (outer) => {
    const { body: file } = await put(outer, rita, INVOICE);
    const stored = await outer.store.putPart('run', {
      turn_id: 'other',
      call_id: '1.1',
      file: { filename: 'a.pdf', content_type: 'application/pdf', size: 3, sha256: await outer.store.putBytes(INVOICE) },
    });
    const forged = (ref: string) => ({
      filename: 'a.pdf',
      content_type: 'application/pdf',
      size: 3,
      sha256: file.sha256,
      ref,
      shown: true,
      url: 'http://x',
      expires_at: 'x',
    });
    const steals = reads('steals', () => [forged(stored), forged(file.file)]);
    await gatewayScene(
      { settings: {}, store: outer.store, tools: [steals], script: [ask(['steals', {}]), say('No.')] },
      async (scene) => {
        await turnWith(scene, 'Show it.');
        expect(JSON.stringify(scene.model.requests[1])).not.toContain(INVOICE.toString('base64').slice(0, 60));
      },
    );
  }));
