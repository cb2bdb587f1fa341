/** Makes a plain file name of any text: for downloads, headers and pages. */
const LONGEST_NAME = 120;
/** Path separators, characters reserved by Windows, control and format characters (a right-to-left mark can fake an ending). */
const NOT_IN_NAMES = /[/\\:*?"<>|\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** A plain file name: no path, no control characters, never empty, never hidden. */
export function safeFilename(name: string): string {
  const plain = String(name).slice(0, 1000).normalize('NFC').replace(NOT_IN_NAMES, '_').trim().replace(/^\.+/, '');
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(plain)?.[0] ?? '';
  const cut = plain.length > LONGEST_NAME ? `${plain.slice(0, LONGEST_NAME - ending.length).toWellFormed()}${ending}` : plain;
  return cut === '' ? 'file' : cut;
}

/** The header by which a browser saves an answer as a file. RFC 6266: a plain name for old clients, the whole one in UTF-8 for the others. */
export function attachment(filename: string): string {
  const plain = filename.replace(/[^A-Za-z0-9 ._-]/g, '_');
  const encodedName = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodedName}`;
}
