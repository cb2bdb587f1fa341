export function jarsFolder(cacheFolder: string): string;
export function whyNoTimeServer(cacheFolder: string, onPath: (name: string) => unknown): string | null;
export function verifiedJars(folder: string): string[];
export function makeJars(cacheFolder: string, say: (line: string) => void): Promise<void>;
