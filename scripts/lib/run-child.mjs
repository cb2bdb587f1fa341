/**
 * Runs a program to its end, and passes SIGINT, SIGTERM and SIGHUP on to it: a signal to the script also ends its children, and the
 * script waits for them.
 */
import { spawn } from 'node:child_process';

const children = new Set();
let interrupted = null;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = signal;
    // Ctrl-C in a terminal has reached the children already, so SIGINT is passed on only without a terminal.
    for (const child of children) if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    if (children.size === 0) process.exit(130);
  });
}

/** The signal that ended us, or null. */
export const interruption = () => interrupted;

/**
 * @param {string} command
 * @param {string[]} args
 * @param {{cwd?: string, env?: NodeJS.ProcessEnv, capture?: boolean, stdio?: import('node:child_process').StdioOptions}} [options]
 *   capture: collect the output instead of showing it
 * @returns {Promise<{code: number, output: string}>} code 127 when it could not be started
 */
export function runChild(
  command,
  args,
  { cwd, env, capture = false, stdio = capture ? ['ignore', 'pipe', 'pipe'] : 'inherit' } = {},
) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd, env: env ?? process.env, stdio });
    const chunks = [];
    child.stdout?.on('data', (chunk) => chunks.push(chunk));
    child.stderr?.on('data', (chunk) => chunks.push(chunk));
    children.add(child);
    child.on('error', (error) => finish(127, error.message));
    child.on('close', (code, signal) => finish(code ?? (signal ? 130 : 1), ''));
    function finish(code, more) {
      if (!children.delete(child)) return;
      resolve({ code, output: Buffer.concat(chunks).toString('utf8') + more });
    }
  });
}
