/** The showcase's calls with a fixed input, or with a path only. As with the analyst's, the same function finds the result. */
import type { WantedCall } from '../call-ledger';

export const QUERY = 'data retention';

export const getWeather: WantedCall = { name: 'get_weather', input: { location: 'San Francisco, CA', unit: 'celsius' } };
export const searchDocuments: WantedCall = { name: 'search_documents', input: { query: QUERY, limit: 3 } };
export const listNotes: WantedCall = { name: 'glob', input: { pattern: '{*.md,notes/*.md}', path: '/', limit: 1000 } };
/** One line is enough for the sha256, and makes this call different from `readBack`. */
export const lookAt = (path: string): WantedCall => ({ name: 'read_file', input: { path, limit: 1 } });
export const readBack = (path: string): WantedCall => ({ name: 'read_file', input: { path } });
export const findStatus = (path: string): WantedCall => ({ name: 'grep', input: { pattern: '^Status: ', path } });
export const countLines: WantedCall = { name: 'bash', input: { command: 'wc -l notes/*.md', cwd: '/', timeout_s: 30 } };
