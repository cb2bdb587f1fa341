/**
 * Recorded responses of data.sec.gov and filings as filed, which the project does not ship. Tests over them run
 * where HOLDFAST_TEST_DATA names the folder, or where it lies beside the project as `../shared/data`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';

/** The folder; null where it is absent. */
export const recordedData: string | null = find();

/**
 * @param path below the folder, e.g. `edgar/filings/aapl-10-k-2024-11-01.html.gz`
 * @returns the file's bytes, `.gz` unpacked
 */
export function readRecorded(path: string): Buffer {
  if (!recordedData) throw new Error('No recorded data: set HOLDFAST_TEST_DATA to its folder.');
  const bytes = readFileSync(join(recordedData, path));
  return path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
}

function find(): string | null {
  const named = process.env.HOLDFAST_TEST_DATA;
  if (named && !existsSync(named)) throw new Error(`HOLDFAST_TEST_DATA names a folder that does not exist: ${named}`);
  const folder = named || resolve(__dirname, '../../../shared/data');
  return existsSync(folder) ? folder : null;
}
