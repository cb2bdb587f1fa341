/** What runs in a thread of the pool: loads the job's module, once, and answers. */
import { createRequire } from 'node:module';
import { isToolError } from '../errors';
import type { Answer, Order, Tell } from './job';

const load = createRequire(__filename);

export default async function answer({ module, name, input, port }: Order): Promise<Answer> {
  const run = (load(module) as Record<string, (input: unknown, tell: Tell<unknown>, port: Order['port']) => unknown>)[name];
  if (!run) throw new Error(`${module} has no function ${name}.`);
  try {
    return { value: await run(input, (message) => port?.postMessage(message), port) };
  } catch (error) {
    if (!isToolError(error)) throw error;
    return { refused: error.detail, nothingHappened: error.nothingHappened };
  } finally {
    port?.close();
  }
}
