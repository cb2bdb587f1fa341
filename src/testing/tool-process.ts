/** A process that runs one tool, as a worker would, and can be killed. */
import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { JsonObject } from '../shared/json/json';
import type { RunResult } from '../tools/run/run';
import type { Tool } from '../tools/define/tool';

const CHILD = join(__dirname, 'tool-child.js');
const MAX_OUTPUT_CHARS = 4000;

/** A request to run the tool. */
export interface RunRequest {
  input: JsonObject;
  key: string;
}

/** A message from the child. */
export type ChildMessage = { ready: { name: string; version: string } } | { result: RunResult };

export class ToolProcess {
  private childOutput = '';
  private readonly exit: Promise<string>;

  private constructor(private readonly child: ChildProcess) {
    child.stderr!.on(
      'data',
      (text: Buffer) => (this.childOutput = (this.childOutput + text.toString()).slice(-MAX_OUTPUT_CHARS)),
    );
    this.exit = new Promise((resolve) => child.once('close', (code, signal) => resolve(String(signal ?? code))));
  }

  /**
   * Resolves when the child has loaded the tool.
   * @throws Error with its output, if the module cannot be loaded, has no such tool, or has another one
   */
  static async start({ path, export: name = 'default' }: { path: string; export?: string }, tool: Tool): Promise<ToolProcess> {
    const { env } = process;
    const toolProcess = new ToolProcess(
      fork(CHILD, [path, name], { env, execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] }),
    );
    const word = await toolProcess.word();
    if ('ready' in word && word.ready.name === tool.name && word.ready.version === tool.version) return toolProcess;
    await toolProcess.kill();
    throw new Error(`${name} of ${path} is not ${tool.name}@${tool.version}: ${JSON.stringify(word)}`);
  }

  /** Rejects if the process ends before it answers. */
  async run(input: JsonObject, key: string): Promise<RunResult> {
    const order: RunRequest = { input, key };
    this.child.send(order);
    const word = await this.word();
    if ('result' in word) return word.result;
    throw new Error(`It answered ${JSON.stringify(word)}`);
  }

  /** `kill -9`; resolves when it is gone. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL');
    await this.exit;
  }

  private word(): Promise<ChildMessage> {
    return new Promise((resolve, reject) => {
      this.child.once('message', (word) => resolve(word as ChildMessage));
      void this.exit.then((how) => reject(new Error(`The process with the tool ended (${how}). It said:\n${this.childOutput}`)));
    });
  }
}
