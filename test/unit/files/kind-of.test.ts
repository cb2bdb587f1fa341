import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { checkFile } from '../../../src/files/kind-of';
import { GIF, JPEG, pdf, png, WEBP } from '../../support/files/samples';

const KINDS: Record<string, Buffer> = {
  'image/png': png(),
  'image/jpeg': JPEG,
  'image/gif': GIF,
  'image/webp': WEBP,
  'application/pdf': pdf(),
  'text/plain': Buffer.from('Größe: 3 µm\n'),
};
const ZIP = Buffer.concat([
  Buffer.from('PK\x03\x04\x14\0\0\0\x08\0', 'latin1'),
  deflateRawSync(Buffer.alloc(1000)),
  Buffer.from('PK\x05\x06', 'latin1'),
  Buffer.alloc(18),
]);

const reasonOf = (bytes: Uint8Array, declared?: string): string => {
  const check = checkFile(bytes, declared);
  return check.ok ? `taken as ${check.media_type}` : check.reason;
};

describe('what a file is', () => {
  it.each(Object.entries(KINDS))('is told by its content: %s', (media_type, bytes) => {
    const kind = media_type.startsWith('image/') ? 'image' : 'document';
    expect(checkFile(bytes)).toEqual({ ok: true, media_type, kind });
    expect(checkFile(bytes, media_type)).toMatchObject({ ok: true });
    expect(checkFile(bytes, `${media_type}; charset=utf-8`)).toMatchObject({ ok: true });
    expect(checkFile(bytes, 'application/octet-stream')).toMatchObject({ ok: true });
  });

  it('must be what its sender says', () => {
    for (const [media_type, bytes] of Object.entries(KINDS))
      for (const other of Object.keys(KINDS).filter((one) => one !== media_type))
        expect(reasonOf(bytes, other)).toBe(`it is said to be ${other}, and its content is ${media_type}`);
  });

  it('takes pictures that a camera has put behind the first one', () => {
    expect(checkFile(Buffer.concat([JPEG, JPEG]))).toMatchObject({ ok: true, media_type: 'image/jpeg' });
  });
});

describe('a file that is refused', () => {
  it.each(Object.entries(KINDS).filter(([type]) => type !== 'text/plain'))('%s with a ZIP behind its end', (_type, bytes) => {
    expect(reasonOf(Buffer.concat([bytes, ZIP]))).toMatch(/something follows its end/);
  });

  it.each(Object.entries(KINDS).filter(([type]) => type !== 'text/plain'))(
    '%s with a page of HTML behind its end',
    (_type, bytes) => {
      const html = Buffer.from('<html><script>alert(1)</script></html>'.padEnd(2000));
      expect(reasonOf(Buffer.concat([bytes, html]))).toMatch(/something follows its end|cut short/);
    },
  );

  it('is an SVG that is said to be a PNG; as text it is text', () => {
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    expect(reasonOf(svg, 'image/png')).toBe('it is said to be image/png, and its content is text/plain');
    expect(reasonOf(svg, 'image/svg+xml')).toBe('it is said to be image/svg+xml, and its content is text/plain');
    expect(reasonOf(svg)).toBe('taken as text/plain');
  });

  it('is a script that begins as a GIF', () => {
    expect(reasonOf(Buffer.from('GIF89a=1;alert(document.domain)//'))).toMatch(/^it begins as GIF, and /);
  });

  it('is a PDF that does not begin at its first byte, so that it may be something else first', () => {
    expect(reasonOf(Buffer.concat([Buffer.from('<html></html>\n'), pdf()]))).toBe('taken as text/plain');
    expect(reasonOf(Buffer.concat([Buffer.from([0, 1]), pdf()]))).toMatch(/^it is none of PNG/);
  });

  it('is an encrypted PDF, which no model can read', () => {
    expect(reasonOf(pdf('', '/Encrypt 9 0 R '))).toMatch(/encrypted/);
    expect(reasonOf(pdf('BT (we write /Encrypt here) Tj ET'))).toBe('taken as application/pdf');
  });

  it('is a program, an archive, a document of an office, nothing', () => {
    expect(reasonOf(Buffer.from('\x7fELF\x02\x01\x01\0', 'latin1'))).toMatch(/^it is none of PNG/);
    expect(reasonOf(ZIP)).toMatch(/^it is none of PNG/);
    expect(reasonOf(Buffer.alloc(0))).toBe('the file is empty');
    expect(reasonOf(Buffer.from('  \n'), 'text/plain')).toMatch(/only white space/);
    expect(reasonOf(Buffer.from('\ufeffx', 'utf16le'), 'text/plain')).toMatch(/UTF-16/);
    expect(reasonOf(Buffer.from([0xc3, 0x28]), 'text/plain')).toMatch(/not UTF-8/);
    expect(reasonOf(Buffer.from('a\x1b[2J'), 'text/plain')).toMatch(/control characters/);
  });

  it('is a picture whose header says more pixels than a browser should draw', () => {
    expect(reasonOf(png(60_000))).toMatch(/60000 × 60000 pixels; at most 8000 a side/);
    expect(reasonOf(png(0))).toMatch(/no size/);
  });

  it('is a file of more than 32 MB, before anything of it is read', () => {
    expect(reasonOf(Buffer.alloc(32 * 1024 * 1024 + 1))).toMatch(/32 MB\) are allowed/);
  });
});

describe('over all inputs', () => {
  const binary = Object.entries(KINDS).filter(([type]) => type !== 'text/plain');

  it('a file that is cut anywhere is refused', () => {
    for (const [, bytes] of binary)
      for (let end = 8; end < bytes.length - 1; end++) {
        const check = checkFile(bytes.subarray(0, end));
        if (check.ok) expect({ end, check }).toEqual({ end, check: { ok: true, kind: 'document', media_type: 'text/plain' } });
      }
  });

  it('nothing that follows a picture or a PDF passes, unless it is white space after a PDF or another JPEG', () => {
    fc.assert(
      fc.property(fc.constantFrom(...binary), fc.uint8Array({ minLength: 1, maxLength: 200 }), ([type, bytes], more) => {
        fc.pre(type !== 'application/pdf' || /[^\s\0]/.test(Buffer.from(more).toString('latin1')));
        fc.pre(type !== 'image/jpeg' || more[0] !== 0xff);
        expect(checkFile(Buffer.concat([bytes, more])).ok).toBe(false);
      }),
    );
  });

  it('no bytes make it throw or run on, whatever they begin with', () => {
    const starts = [...binary.map(([, bytes]) => bytes.subarray(0, 24)), Buffer.alloc(0)];
    fc.assert(
      fc.property(fc.constantFrom(...starts), fc.uint8Array({ maxLength: 2000 }), (start, more) => {
        const check = checkFile(Buffer.concat([start, more]));
        expect(typeof check.ok).toBe('boolean');
      }),
    );
  });
});
