/** Defines the tool `bash`, which runs one command in the workspace. */
import { existsSync, realpathSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join, normalize } from 'node:path';
import { z } from 'zod';
import { type CheckFault, defineTool, isToolError, type JsonObject, NotIsolated, ToolError } from 'holdfast/tools';
import { namesOf, pathFault, normalizePath } from '../files/path';
import type { Workspace } from '../files/workspace';
import { dangers } from '../shell/dangers';
import { fileHash } from '../files/file-hash';
import { excerpt } from '../shell/output';
import { NotStarted, runCommand, type CommandEnd } from '../shell/run-command';
import { folderPath } from './inputs';

const DEFAULT_SECONDS = 120;
const MOST_SECONDS = 600;
/** Limit of the output in the answer, UTF-16 units. */
export const MOST_OUTPUT = 50_000;

export interface BashSettings {
  /** Further environment variables; of the worker's own, a command gets only PATH. */
  env?: Record<string, string>;
  /** Home folder of commands, absolute, outside of the workspace. Default: an empty one for each call, removed afterwards. */
  home?: string;
}

/** `{command, cwd, timeout_s}` → `{exit_code, signal, timed_out, output, output_bytes, truncated, ref}`. */
export function bashTool(workspace: Workspace, settings: BashSettings) {
  refuseHomeInside(workspace, settings.home);
  return defineTool({
    name: 'bash',
    version: '1.0.0',
    class: 'destructive',
    group: 'workspace',
    target: { root: workspace.root },
    egress: true,
    untrustedOutput: true, // it may print what it fetched
    maxInlineBytes: 'unlimited', // the answer is limited, and the whole output is kept beside it
    timeoutMs: (MOST_SECONDS + 30) * 1000, // the tool enforces the requested limit; this one is the last resort
    description: {
      does: 'Runs one bash command in the workspace, in a process group of its own.',
      returns:
        'exit_code (null when a signal ended it), signal, timed_out, output (stdout and stderr together; beginning and end of it when it is long), output_bytes, truncated, and ref of the whole output when it was cut. A non-zero exit code is a result, not an error.',
      useWhen: 'Tests, builds, git and other programs have to run, or no other tool can do it.',
      dontUseFor:
        'Reading, writing, editing or finding files: read_file, write_file, edit_file, glob and grep do that without asking anybody.',
      example: '{"command": "npm test -- --silent", "cwd": "/", "timeout_s": 300}',
      warning:
        'DESTRUCTIVE. A person sees the command and decides; write it so that its effect is plain to read. No input can be typed while it runs. When the time is over, or the command has ended, all processes of the group are ended: nothing goes on in the background.',
    },
    input: z.object({
      command: z.string().min(1).max(20_000).describe('One bash command, or several lines'),
      cwd: folderPath.describe('Folder to run in, from the workspace root; / is the root itself'),
      timeout_s: z.number().int().min(1).max(MOST_SECONDS).default(DEFAULT_SECONDS).describe('Time limit, seconds'),
    }),
    output: z.object({
      exit_code: z.number().int().nullable(),
      signal: z.string().nullable(),
      timed_out: z.boolean(),
      output: z.string(),
      output_bytes: z.number().int(),
      truncated: z.boolean(),
      ref: z.string().nullable(),
    }),
    estimatedTokens: { input: 80, output: { min: 40, typical: 800, max: 13_000 } },
    changelog: { '1.0.0': 'First version.' },
    // In another folder the same words run other files. An allow rule's pattern matches no line with `&&`, so a person decides.
    ruleTarget: {
      kind: 'command',
      of: ({ command, cwd }) => (normalizePath(cwd) === '/' ? command : `cd ${normalizePath(cwd)} && ${command}`),
      hashOf: (path) => fileHash(workspace.root, path),
    },
    check: checkBash,
    preview: ({ command, cwd, timeout_s }) => previewOf(command, normalizePath(cwd), timeout_s),
    summarize(data) {
      const { timed_out, signal, exit_code, output_bytes } = data as JsonObject;
      const end = timed_out ? 'ended at its time limit' : signal ? `ended by ${signal}` : `exit code ${exit_code}`;
      return `${end}, ${output_bytes} bytes of output`;
    },
    async run({ command, cwd, timeout_s }, ctx) {
      const home = await homeFor(settings);
      try {
        const end = await workspace
          .inDirectory(namesOf(cwd), (directory) =>
            runCommand(command, {
              cwd: directory.at(),
              env: environment(home.path, settings.env),
              timeoutMs: timeout_s * 1000,
              signal: ctx.signal,
              onOutput: (bytes) => ctx.progress(`${bytes} bytes of output`),
            }),
          )
          .catch((error: unknown) => {
            throw toNoEffectError(workspace.outsideOr(error, namesOf(cwd)));
          });
        return await answer(end, (text) => ctx.store.keepResult({ output: text }));
      } finally {
        await home.remove();
      }
    },
  });
}

function checkBash({ command, cwd }: { command: string; cwd: string }): CheckFault | undefined {
  if (command.includes('\0'))
    return { reason: 'bad_command', message: 'The command holds a NUL character, which no command can.' };
  const refusal = dangers(command).find((danger) => danger.isRefused);
  if (!refusal) return pathFault(cwd);
  return {
    reason: 'dangerous_command',
    message: `This command was refused without asking a person: ${refusal.why}`,
    hint: 'Do what is needed in another way, or say in your answer why a person should do this themselves.',
  };
}

function previewOf(command: string, cwd: string, seconds: number): string {
  const lines = dangers(command).map((danger) => `  ! ${danger.why} (${danger.rule})`);
  const warnings = lines.length === 0 ? [] : ['Look closely:', ...lines, ''];
  return [...warnings, `Runs in ${cwd} of the workspace, for ${seconds} s at most:`, '', command].join('\n');
}

/** Programs run files of a home folder (`.gitconfig`, `.npmrc`), and file tools write in the workspace without approval. */
function refuseHomeInside({ root }: Workspace, home: string | undefined): void {
  if (home === undefined) return;
  if (!isAbsolute(home)) throw new Error(`workspaceTools: home must be an absolute path, and is ${JSON.stringify(home)}`);
  const real = existsSync(home) ? realpathSync.native(home) : normalize(home);
  if (`${real}/`.startsWith(`${root}/`))
    throw new Error(
      `workspaceTools: home ${home} lies in the workspace ${root}, where file tools write unasked what commands then run (.gitconfig, .npmrc); take a folder outside of it`,
    );
}

async function homeFor({ home }: BashSettings): Promise<{ path: string; remove(): Promise<void> }> {
  if (home !== undefined) return { path: home, remove: async () => undefined };
  const path = await mkdtemp(join(tmpdir(), 'holdfast-home-'));
  return { path, remove: () => rm(path, { recursive: true, force: true, maxRetries: 3 }) };
}

/**
 * Git takes a folder with a few plain files for a repository, and runs what their configuration says; file tools could write those
 * files.
 */
const EXPLICIT_REPOSITORIES = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'safe.bareRepository', GIT_CONFIG_VALUE_0: 'explicit' };

/** An allow-list: the worker's keys and settings must not reach a command. */
function environment(home: string, more: Record<string, string> = {}): Record<string, string> {
  // A relative folder in PATH is one of the workspace: a file there would run in the place of a system program.
  const path = (process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin').split(delimiter).filter(isAbsolute).join(delimiter);
  return { PATH: path, HOME: home, LANG: 'C.UTF-8', TERM: 'dumb', ...EXPLICIT_REPOSITORIES, ...more };
}

/** An error before a process was started had no effect. */
function toNoEffectError(error: unknown): unknown {
  if (error instanceof NotIsolated) {
    return new ToolError('EXECUTION_ERROR', 'not_isolated', `No command runs here. ${error.message}`, {
      hint: 'The operator of the worker must fix this; the other tools work.',
      nothingHappened: true,
    });
  }
  if (error instanceof NotStarted) {
    return new ToolError('EXECUTION_ERROR', 'not_started', `The command could not be started: ${error.message}`, {
      hint: 'bash has to be installed where the worker runs.',
      nothingHappened: true,
    });
  }
  if (!isToolError(error)) return error;
  const { code, reason, message, hint } = error.detail;
  return new ToolError(code, reason, message, { hint, nothingHappened: true });
}

async function answer(end: CommandEnd, keep: (text: string) => Promise<string>) {
  const whole = end.output.text();
  const { text, truncated } = excerpt(whole, MOST_OUTPUT);
  return {
    exit_code: end.exitCode,
    signal: end.signal,
    timed_out: end.timedOut,
    output: text,
    output_bytes: end.output.bytes,
    truncated,
    ref: truncated ? await keep(whole) : null,
  };
}
