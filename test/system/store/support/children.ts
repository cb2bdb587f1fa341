/** Child processes that use one store at once; each runs `fixtures/store-child.ts`. */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = join(__dirname, '../fixtures/store-child.ts');
const TYPESCRIPT = join(__dirname, '../../support/typescript.cjs');

export interface Child {
  process: ChildProcessWithoutNullStreams;
  /** The next line of output; rejects, with the child's error output, if it ends first. */
  line(): Promise<string>;
}

export function startChild(...args: string[]): Child {
  const child = spawn(process.execPath, ['--require', TYPESCRIPT, SCRIPT, ...args]);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  return {
    process: child,
    line: async () => {
      const next = await lines.next();
      if (next.done === true) throw new Error(`The child ended: ${complaint}`);
      return next.value;
    },
  };
}

/** Starts children, waits until each is ready, lets all go at once. @returns what each of them printed, parsed */
export async function race<T>(argsOfEach: string[][]): Promise<T[]> {
  const children = argsOfEach.map((args) => startChild(...args));
  await Promise.all(children.map(async (child) => expect(await child.line()).toBe('ready')));
  for (const child of children) child.process.stdin.write('go\n');
  return Promise.all(children.map(async (child) => JSON.parse(await child.line()) as T));
}
