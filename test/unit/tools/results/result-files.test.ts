import { safeFilename } from '../../../../src/shared/text/visible';
import fc from 'fast-check';
import type { Json } from '../../../../src/shared/json/json';
import {
  binaryFile,
  hasPresigned,
  MOST_FILE_BYTES,
  toJsonWithFiles,
  withoutBytes,
  type BinaryFile,
  type FileResult,
} from '../../../../src/tools/results/result-files';

const pdf = (filename: string, bytes: Uint8Array) => binaryFile({ filename, contentType: 'application/pdf', bytes });
const kept: BinaryFile[] = [];
const keep = async (file: BinaryFile): Promise<FileResult> => {
  kept.push(file);
  const { filename, contentType: content_type, bytes } = file;
  return {
    filename,
    content_type,
    size: bytes.length,
    sha256: 's',
    ref: 'r',
    content_base64: Buffer.from(bytes).toString('base64'),
  };
};
beforeEach(() => kept.splice(0));

describe('a file in a result', () => {
  it('may be anywhere in it, and is replaced by its description there', async () => {
    const result = { title: 'Q3', files: [pdf('a.pdf', Buffer.from('A')), { nested: pdf('b.pdf', Buffer.from('BB')) }] };
    expect(await toJsonWithFiles(result, keep)).toEqual({
      ok: true,
      data: {
        title: 'Q3',
        files: [
          { filename: 'a.pdf', content_type: 'application/pdf', size: 1, sha256: 's', ref: 'r', content_base64: 'QQ==' },
          { nested: expect.objectContaining({ filename: 'b.pdf', size: 2 }) },
        ],
      },
    });
    expect(kept.map(({ filename }) => filename)).toEqual(['a.pdf', 'b.pdf']);
  });

  it('does not change a result without files, for any content', async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ noUnicodeString: true } as never), async (value) => {
        const plain = JSON.parse(JSON.stringify(value)) as Json;
        const read = await toJsonWithFiles(plain, keep);
        if (read.ok && JSON.stringify(plain) === JSON.stringify(JSON.parse(JSON.stringify(plain).toWellFormed())))
          expect(withoutBytes(read.data)).toEqual(read.data);
        expect(kept).toEqual([]);
      }),
    );
  });

  it('is refused if there is no place for it, and if there are too many', async () => {
    expect(await toJsonWithFiles(pdf('a.pdf', Buffer.from('A')))).toMatchObject({ ok: false });
    const many = Array.from({ length: 21 }, () => pdf('a.pdf', Buffer.from('A')));
    expect(await toJsonWithFiles(many, keep)).toEqual({ ok: false, message: 'it holds 21 files; 20 are allowed' });
    expect(kept).toEqual([]);
  });

  it('is refused above 64 MB, and the error names both sizes', () => {
    const bytes = { byteLength: MOST_FILE_BYTES + 1 };
    Object.setPrototypeOf(bytes, Uint8Array.prototype);
    Object.defineProperty(bytes, 'byteLength', { value: MOST_FILE_BYTES + 1 });
    expect(() => pdf('big.pdf', bytes as Uint8Array)).toThrow(
      'The file big.pdf has 67108865 bytes; 67108864 (64 MB) are allowed.',
    );
  });

  it.each(['', 'pdf', 'text/html\r\nX: y', 'a/b/c', 'text/html; x', `a/${'b'.repeat(100)}`])(
    'with content type %j is refused',
    (contentType) => {
      expect(() => binaryFile({ filename: 'a', contentType, bytes: new Uint8Array() })).toThrow('contentType');
    },
  );

  it('has a plain name, for any name from the author or the model', () => {
    expect(safeFilename('Bericht Ä 2026.pdf')).toBe('Bericht Ä 2026.pdf');
    expect(safeFilename('../../etc/passwd')).toBe('_.._etc_passwd');
    expect(safeFilename('..\\x\r\n"y".pdf')).toBe('_x___y_.pdf');
    expect(safeFilename('invoice\u202Efdp.exe')).toBe('invoice_fdp.exe');
    for (const name of ['', '.', '..', '...']) expect(safeFilename(name)).toBe('file');
    expect(safeFilename(`${'x'.repeat(500)}.pdf`)).toMatch(/^x{116}\.pdf$/);
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const safe = safeFilename(name);
        expect(safe.isWellFormed() && safe.length > 0 && safe.length <= 120).toBe(true);
        expect(safe).not.toMatch(/[/\\\p{Cc}\p{Cf}]|^\./u);
      }),
    );
  });
});

describe('a file as the model sees it', () => {
  const common = { filename: 'a.pdf', content_type: 'application/pdf', size: 1, ref: 'r' };

  it('has a name, type, size and ref, but no bytes and no address', () => {
    const small = { ...common, sha256: 's', content_base64: 'QQ==' };
    const large = { ...common, sha256: 's', url: 'http://x', expires_at: 'then' };
    expect(withoutBytes({ pages: 3, files: [small, large] })).toEqual({ pages: 3, files: [common, common] });
    expect(hasPresigned({ files: [small] })).toBe(false);
    expect(hasPresigned({ files: [[large]] })).toBe(true);
  });

  it('does not change other objects, odd names included', () => {
    const data = JSON.parse(
      '{"__proto__": {"url": "http://x"}, "filename": "a", "url": "http://y", "list": [{"content_base64": "QQ=="}]}',
    ) as Json;
    expect(JSON.stringify(withoutBytes(data))).toBe(JSON.stringify(data));
    expect(({} as { url?: string }).url).toBeUndefined();
  });
});
