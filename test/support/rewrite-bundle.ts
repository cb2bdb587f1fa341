/** A bundle with changed lines, chained and signed anew: what somebody makes who has stolen the key. */
import { canonical } from '../../src/shared/json/canonical';
import type { SigningKey } from '../../src/attestation/signing-key';
import type { Bodies, EndBody, LineKind } from '../../src/audit/format/lines';
import { LineWriter } from '../../src/audit/format/writer';
import { BUNDLE_KEY } from './bundle-keys';

export type AnyLine = { [K in LineKind]: { kind: K; body: Bodies[K] } }[LineKind];

/** @param change gives each line's body anew; null leaves the line out. The trailer's root, lines and signature follow by themselves */
export function rewritten(text: string, change: (line: AnyLine) => object | null, key: SigningKey = BUNDLE_KEY): string {
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as AnyLine);
  const changed = lines.flatMap((line) => {
    const body = change(line);
    return body === null ? [] : [{ kind: line.kind, body } as AnyLine];
  });
  return written(changed, key);
}

/** Lines of any bodies as a bundle. */
export function written(lines: readonly AnyLine[], key: SigningKey = BUNDLE_KEY): string {
  const writer = new LineWriter();
  return lines.map((line) => nextLine(writer, line, key)).join('');
}

/** The next line of a bundle that somebody else puts together. */
export function nextLine(writer: LineWriter, { kind, body }: AnyLine, key: SigningKey = BUNDLE_KEY): string {
  return writer.line(kind, kind === 'end' ? signedEnd(writer, body, key) : (body as never));
}

function signedEnd(writer: LineWriter, body: EndBody, key: SigningKey): any {
  const { signature: _, ...rest } = body;
  const end = { ...rest, root: writer.last!, lines: writer.lines + 1, kid: key.kid, public: key.public };
  return { ...end, signature: key.sign(Buffer.from(canonical(end as never))).toString('base64url') };
}
