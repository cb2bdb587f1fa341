/**
 * Hides the secrets in the environment of our own processes. `/proc/<pid>/environ` shows what a process was started with, as long
 * as it lives, to every process of the same user; deleting a variable does not change that. So variables that may be secret are
 * overwritten in that memory at the start, and kept where only this process has them.
 */
import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs';
import type { Writable } from 'node:stream';

/**
 * Variables that programs and their libraries need to start, and that are not secret. A list of what to hide would never be
 * complete.
 */
const PLAIN: ReadonlySet<string> = new Set(
  'PATH HOME USER LOGNAME SHELL TERM LANG LANGUAGE TZ TMPDIR TMP TEMP PWD OLDPWD SHLVL HOSTNAME COLORTERM NO_COLOR CI NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_CHANNEL_FD NODE_CHANNEL_SERIALIZATION_MODE NODE_V8_COVERAGE NODE_COMPILE_CACHE SSL_CERT_FILE SSL_CERT_DIR LD_LIBRARY_PATH LD_PRELOAD GOGC GOMEMLIMIT GOMAXPROCS XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_RUNTIME_DIR SystemRoot'.split(
    ' ',
  ),
);

function isPlain(name: string): boolean {
  return PLAIN.has(name) || name.startsWith('LC_');
}

/** The part of an environment for a program of ours that must not get our settings. */
export function plainEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => isPlain(name)));
}

/**
 * From now on `/proc/<pid>/environ` of this process shows plain variables only; `process.env` stays as it is. To call at the start
 * of a program of ours, where `process.env` is the process's own.
 * @returns false if the system does not allow it
 */
export function hideEnvironment(): boolean {
  if (process.platform !== 'linux') return false;
  try {
    // Sets each anew: the C library then has its own copy, and nothing reads the memory that is overwritten below.
    for (const [name, value] of Object.entries(process.env)) if (!isPlain(name)) process.env[name] = value;
    overwrite();
    return true;
  } catch {
    return false; // a kernel or a container without /proc/self/mem: nothing was changed
  }
}

/** Names the descriptor through which a process of ours gets the rest of its environment. */
const REST = 'HOLDFAST_ENVIRONMENT_FD';

/**
 * For a child that calls `takeEnvironment`: the environment to start it with, and a function that sends the rest through its
 * descriptor `fd`, a pipe.
 */
export function splitEnvironment(
  env: NodeJS.ProcessEnv,
  fd: number,
): { env: NodeJS.ProcessEnv; hand(child: ChildProcess): void } {
  const hand = (child: ChildProcess) => {
    const pipe = child.stdio[fd] as Writable;
    pipe.on('error', () => undefined); // it has ended: its exit is reported
    pipe.end(JSON.stringify(env));
  };
  return { env: { ...plainEnvironment(env), [REST]: String(fd) }, hand };
}

/** Reads the variables that the parent sends, if it sends some. */
export function takeEnvironment(): void {
  const fd = process.env[REST];
  if (fd === undefined) return;
  delete process.env[REST];
  Object.assign(process.env, JSON.parse(readFileSync(Number(fd), 'utf8')));
  closeSync(Number(fd));
}

function overwrite(): void {
  const [start, end] = environmentArea();
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    const area = Buffer.alloc(end - start);
    readSync(memory, area, 0, area.length, start);
    let from = 0;
    for (let to = area.indexOf(0); to !== -1; from = to + 1, to = area.indexOf(0, from)) {
      const [name = ''] = area.toString('utf8', from, to).split('=', 1);
      if (!isPlain(name)) writeSync(memory, Buffer.alloc(to - from), 0, to - from, start + from);
    }
  } finally {
    closeSync(memory);
  }
}

/** Fields 50 and 51 of /proc/self/stat; the second field may contain spaces. */
function environmentArea(): [number, number] {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [start, end] = [Number(fields[47]), Number(fields[48])];
  if (!(start > 0 && end > start && Number.isSafeInteger(end))) throw new Error('no area of the environment');
  return [start, end];
}
