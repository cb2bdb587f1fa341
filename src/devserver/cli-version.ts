/** Checks whether a file is a Temporal CLI. */
import { execFile, type ExecFileException } from 'node:child_process';

/**
 * Asks a file for its version, which proves that it is a Temporal CLI and runs on this machine.
 * @throws Error that says what it did instead
 */
export function cliVersion(path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(path, ['--version'], { timeout: 10_000, killSignal: 'SIGKILL' }, (error, stdout) => {
      const version = /^temporal version (\S+)/m.exec(stdout)?.[1];
      if (version) resolve(version);
      else reject(new Error(error ? whyNot(error) : `${path} --version does not answer as a Temporal CLI`));
    });
    function whyNot(error: ExecFileException): string {
      if (error.code === 'ENOENT') return `there is no file ${path}`;
      if (error.code === 'EACCES') return `${path} may not be executed`;
      if (error.killed) return `${path} --version gave no answer in 10 s`;
      return `${path} --version failed (${String(error.code ?? error.message)})`;
    }
  });
}
