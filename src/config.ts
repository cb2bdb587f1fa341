/* temporary, until the real one is written */
export interface Config { temporal: { address: string; namespace: string; connectionOptions: any }; taskQueue: string; uiUrl: string | null }
export function loadConfig(): Config { throw new Error('not yet'); }
