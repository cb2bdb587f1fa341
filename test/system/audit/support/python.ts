/** packages/verify/python/verify_bundle.py over many bundles: one process of Python judges them all. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TRUST_FILE } from '../../../support/bundle-keys';

export interface Answer {
  verdict: string;
  line: number | null;
  rule: string | null;
  complete: boolean | null;
  redactions: number;
}

export interface Case {
  name: string;
  bytes: Buffer;
  /** The file that it was made of, with most of its bytes. */
  of?: string;
}

/**
 * @param python the program
 * @param trust the file of trusted keys
 */
export async function judgedByPython(python: string, cases: readonly Case[], trust = TRUST_FILE): Promise<Answer[]> {
  if (cases.length === 0) return [];
  const program = join(__dirname, 'judge_bundles.py');
  const stdout = await new Promise<string>((resolve, reject) => {
    const child = execFile(python, [program, trust], { maxBuffer: 50_000_000 }, (error, stdout, stderr) => {
      if (error) return reject(new Error(`${error.message}\n${stderr}`));
      resolve(stdout);
    });
    child.stdin!.end(cases.map((one) => `${JSON.stringify(changed(one))}\n`).join(''));
  });
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Answer); // oxfmt-ignore
}

/** As judge_bundles.py reads it: what changed, between what did not. */
function changed({ bytes, of }: Case): [from: string, head: number, middle: string, tail: number] {
  const from = of === undefined ? Buffer.alloc(0) : readFileSync(of);
  const shorter = Math.min(from.length, bytes.length);
  let head = 0;
  while (head < shorter && from[head] === bytes[head]) head++;
  let tail = 0;
  while (tail < shorter - head && from[from.length - 1 - tail] === bytes[bytes.length - 1 - tail]) tail++;
  return [of ?? '', head, bytes.subarray(head, bytes.length - tail).toString('base64'), tail];
}
