/** Finds the workflow code for a replay: this build's, or an archived build's. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { RECORDS } from './recording';
import { sha256Hex } from '../../shared/json/sha256';

export interface ReplayCode {
  path: string;
  /** SHA-256 of the workflow bundle that workers of this build run. */
  bundle: string;
  /** Whether the code records its commands; if not, only Temporal's own check can be made. */
  records: boolean;
}

/** The file is missing, or holds no workflow code. */
export class NoCode extends Error {
  override readonly name = 'NoCode';
}

const NAME = 'replay-bundle.js';
/** A line of a replay bundle (scripts/lib/compile.mjs). */
const REPLAYS_FOR = /^\/\/ Replays for the workflow bundle with SHA-256 ([0-9a-f]{64})$/m;

/**
 * @param file of `--code`: a `replay-bundle.js`, or a `workflow-bundle.js` with its replay bundle in the same folder.
 *   Absent: the build of this program.
 * @throws NoCode
 */
export async function replayCode(file: string | undefined): Promise<ReplayCode> {
  const own = join(__dirname.replace(/([\\/])src([\\/]audit[\\/]replay)$/, '$1dist$2'), '..', '..', NAME);
  const path = file ?? own;
  if (!existsSync(path))
    throw new NoCode(
      file === undefined ? 'The replay bundle has not been built. Run `npm run build`.' : `There is no file ${path}.`,
    );
  const text = await readFile(path, 'utf8');
  if (!text.includes('__TEMPORAL__'))
    throw new NoCode(`${path} holds no workflow code: give the workflow-bundle.js or replay-bundle.js of a build.`);
  const bundle = REPLAYS_FOR.exec(text)?.[1];
  if (bundle || text.includes(RECORDS)) return { path, bundle: bundle ?? sha256Hex(text), records: true };
  const beside = join(dirname(path), NAME);
  const bundleBeside = existsSync(beside) ? REPLAYS_FOR.exec(await readFile(beside, 'utf8'))?.[1] : undefined;
  if (bundleBeside === sha256Hex(text)) return { path: beside, bundle: bundleBeside, records: true };
  return { path, bundle: sha256Hex(text), records: false };
}
