/** The engine's own verifier, in the browser. Nothing of a bundle leaves it. */
import './global-buffer';
import { parseTrustedKeys } from '../../../../src/attestation/trusted-keys';
import { verifyBundle } from '../../../../src/audit/verify';
import { describeVerification } from '../../../../src/audit/verify/sentence';

export interface Verdict {
  verdict: 'intact' | 'broken' | 'contradictory' | 'signer_unknown' | 'unwitnessed';
  complete: boolean | null;
  /** What it means, in sentences. */
  sentences: string[];
}

/**
 * @param trust the text of a file of trusted keys; empty: none
 * @throws if that text is no such file, or `file` cannot be read
 */
export async function verifyFile(file: Blob, trust: string): Promise<Verdict> {
  const keys = trust.trim() === '' ? [] : parseTrustedKeys(trust, 'the file of keys');
  const result = await verifyBundle(chunksOf(file), keys);
  return { verdict: result.verdict, complete: result.complete, sentences: describeVerification(result) };
}

async function* chunksOf(file: Blob): AsyncGenerator<Uint8Array> {
  const reader = file.stream().getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
