/**
 * Runs as a process between this program and a server (Temporal's, say), so that the server ends with its parent. It holds a pipe
 * (stdin) to its parent: when that closes, the parent is gone, however it ended, `kill -9` included, and the server must end too.
 * It is in a process group of its own: a terminal's Ctrl-C reaches the parent alone, which can then end its turns before the server
 * ends.
 *
 * `node supervisor <cli> <arguments…>`: `stop` on stdin asks for an orderly end; it prints `pid N` once and `exit CODE` at last on
 * stdout; the server's own output goes to stderr.
 */
import { spawn } from 'node:child_process';

/** Time for an orderly end, if the parent asked for it, and if the parent is gone. */
const GRACE_ASKED_MS = 5000;
const GRACE_ORPHAN_MS = 1000;

const [cli, ...args] = process.argv.slice(2);
const server = spawn(cli!, args, { stdio: ['ignore', 2, 2] });
let deadline: NodeJS.Timeout | undefined;

server.on('spawn', () => tell(`pid ${server.pid}`));
server.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(127);
});
server.on('exit', (code, signal) => {
  tell(`exit ${code ?? signal}`);
  process.exitCode = code ?? 1;
  // The pipe would keep this process alive, with nothing left to guard.
  process.stdin.destroy();
  clearTimeout(deadline);
});

process.stdin.on('data', () => end(GRACE_ASKED_MS));
process.stdin.on('close', () => end(GRACE_ORPHAN_MS));
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(GRACE_ORPHAN_MS));
// A parent that is gone reads nothing: that must not end this process before the server.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

function end(graceMs: number): void {
  if (server.exitCode !== null || server.signalCode !== null) return;
  server.kill('SIGTERM');
  clearTimeout(deadline);
  deadline = setTimeout(() => server.kill('SIGKILL'), graceMs);
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}
