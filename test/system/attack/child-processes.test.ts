/** Attacks by programs that we start for others on the processes beside them: a command of `bash`, and an MCP server. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Connection } from '../../../src/mcp/connection/connection';
import { serverOf } from '../../../src/mcp/servers-file';
import { acceptNoIsolation, isolation, whatToDo } from '../../../src/processes/isolation';
import { Place } from '../packs/workspace/support';
import { silent } from '../../support/silent';
import { eventually } from '../../engine/support/engine';

const SPY = join(__dirname, '../packs/mcp/fixtures/spy-server.mjs');
const SECRET = 'sk-canary-9d1e-do-not-tell';
/** What attacks need besides bash. */
const COMMON = [
  'bash',
  'sh',
  'cat',
  'ls',
  'tr',
  'sed',
  'head',
  'wc',
  'sleep',
  'readlink',
  'umount',
  'mount',
  'python3',
  'setsid',
  'env',
  'timeout',
];
const WAYS = [
  { way: 'bubblewrap', programs: ['bwrap'] },
  { way: 'unshare', programs: ['unshare', 'setpriv'] },
] as const;

const PATH = process.env.PATH!;
let folder: string;
/** A process of the same user that was given a secret, as a worker, a gateway or a database client is. */
let victim: ChildProcess;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-programs-'));
  victim = spawn('sleep', ['600'], { env: { PATH, API_KEY: SECRET } });
  await eventually('the victim', async () => readFileSync(`/proc/${victim.pid}/environ`, 'utf8').includes(SECRET));
});

afterEach(() => {
  process.env.PATH = PATH;
  victim.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** What an attacker gets to print where these programs are found, and no others. */
async function withPrograms(programs: readonly string[]) {
  for (const name of [...COMMON, ...programs]) {
    const found = PATH.split(delimiter)
      .map((place) => join(place, name))
      .find(existsSync);
    if (found === undefined) throw new Error(`these tests need ${name}`);
    symlinkSync(found, join(folder, name));
  }
  process.env.PATH = folder;
  const place = new Place();
  const connection = new Connection(serverOf('spy', { command: process.execPath, args: [SPY] }), {
    log: silent,
    loginFolder: folder,
  });
  const inBash = (command: string) => place.call('bash', { command });
  const inServer = async (command: string) => {
    const calling = { signal: new AbortController().signal, meta: {}, progress: () => undefined };
    const { content } = (await connection.call('spy', { command }, calling)) as { content: { text: string }[] };
    return content[0]!.text;
  };
  const printedBy = {
    'a command': async (command: string) => {
      const answer = await inBash(command);
      if (!answer.ok) throw new Error(`${answer.reason}: ${answer.message}`);
      return answer.data.output as string;
    },
    'an MCP server': inServer,
  };
  const end = async () => {
    await connection.close();
    place.remove();
  };
  return { inBash, inServer, printedBy, end };
}

/** Python itself: what is on the PATH may be a script that looks for it. */
const PYTHON = execFileSync('python3', ['-c', 'import sys; print(sys.executable)'], { encoding: 'utf8' }).trim();
const ENVIRONMENTS = `for file in /proc/[0-9]*/environ; do tr '\\0' '\\n' < $file; done 2>/dev/null; tr '\\0' '\\n' < /proc/$PPID/environ`;
const MEMORY = (pid: number) =>
  `start=$(sed -n '/stack/s/-.*//p' /proc/${pid}/maps); echo "maps [$start]"; ${PYTHON} - <<'END'
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
print('ptrace', libc.ptrace(16, ${pid}, 0, 0))
try:
    line = [line for line in open('/proc/${pid}/maps') if '[stack]' in line][0]
    start, end = [int(part, 16) for part in line.split()[0].split('-')]
    memory = open('/proc/${pid}/mem', 'rb', 0)
    memory.seek(start)
    print('memory', ${JSON.stringify(SECRET)}.encode() in memory.read(end - start))
except Exception as error:
    print('memory', type(error).__name__)
try:
    os.kill(${pid}, 9)
    print('kill', 0)
except Exception as error:
    print('kill', type(error).__name__)
END`;

/** Takes the socket to the worker from the process that has started the command, and writes to it; some systems refuse that. */
const TO_THE_WORKER = (said: string, times: number) => `${PYTHON} - <<'END'
import ctypes, os
libc = ctypes.CDLL(None)
for pid in filter(str.isdigit, os.listdir('/proc')):
    words = open(f'/proc/{pid}/cmdline', 'rb').read().split(b'\\0')
    if len(words) > 1 and words[1].endswith(b'command-runner.js'):
        there = libc.syscall(438, libc.syscall(434, int(pid), 0), 3, 0)
        print('taken' if there >= 0 else 'kept', flush=True)
        for _ in range(${times} if there >= 0 else 0):
            os.write(there, ${said})
END
sleep 0.5`;

const TYPED = 'typed-canary';
/** A terminal into which somebody has typed; says what it shows once its input ends. */
const TERMINAL = `import os, select, sys
terminal, program = os.openpty()
print(os.ttyname(program), flush=True)
os.write(terminal, b'${TYPED}\\n')
sys.stdin.read()
while select.select([terminal], [], [], 0.3)[0]:
    print(os.read(terminal, 1000).decode(), flush=True)`;

describe.each(WAYS)('through $way', ({ way, programs }) => {
  it.each(['a command', 'an MCP server'] as const)('%s cannot read the environment of any process beside it', async (who) => {
    const { printedBy, end } = await withPrograms(programs);
    try {
      expect(await isolation()).toMatchObject({ how: way });
      const printed = await printedBy[who](ENVIRONMENTS);
      expect(printed).toContain('PATH='); // it has read something: its own
      expect(printed).not.toContain(SECRET);
      expect(await printedBy[who](`cat /proc/${process.pid}/environ /proc/${victim.pid}/environ`)).not.toContain(SECRET);
      const seen = (await printedBy[who]('ls -d /proc/[0-9]*')).trim().split('\n');
      expect(seen.length).toBeLessThan(8);
    } finally {
      await end();
    }
  });

  it.each(['a command', 'an MCP server'] as const)('%s cannot trace or kill another process, or read its memory', async (who) => {
    const { printedBy, end } = await withPrograms(programs);
    try {
      const printed = await printedBy[who](MEMORY(victim.pid!));
      expect(printed).toContain('maps []');
      expect(printed).toContain('ptrace -1');
      expect(printed).toContain('memory FileNotFoundError');
      expect(printed).toContain('kill ProcessLookupError');
      expect(victim.exitCode ?? victim.signalCode).toBeNull();
    } finally {
      await end();
    }
  });

  it.each(['a command', 'an MCP server'] as const)('%s cannot mount the /proc of the machine again', async (who) => {
    const { printedBy, end } = await withPrograms(programs);
    try {
      const other = join(folder, 'other-proc'); // not where the programs are: a mount that comes about would hide them
      mkdirSync(other);
      // Only away from the machine's own mounts: where this test fails, it must not take /proc from the person who runs it.
      const apart = `[ "$(readlink /proc/self/ns/mnt)" != "${readlinkSync('/proc/self/ns/mnt')}" ]`;
      const printed = await printedBy[who](
        `if ${apart}; then umount -l /proc 2>&1; mount -t proc proc ${other} 2>&1; fi; cat /proc/${victim.pid}/environ ${other}/${victim.pid}/environ; ${ENVIRONMENTS}; ls -d /proc/[0-9]*`,
      );
      expect(printed).not.toContain(SECRET);
      expect(printed).not.toContain(`/proc/${victim.pid}\n`);
      expect(printed).toMatch(/^\/proc\/\d+$/m); // it has looked
    } finally {
      await end();
    }
  });

  it('an MCP server cannot type into the terminal that its worker was started from', async () => {
    const { end } = await withPrograms(programs);
    try {
      const answer = join(folder, 'answer');
      const args = ['-c', `if (: <>/dev/tty) 2>/dev/null; then echo terminal; else echo none; fi >${answer}`];
      const compiled = (module: string) => JSON.stringify(join(__dirname, '../../../dist', module));
      const worker = `const { transportTo } = require(${compiled('mcp/connection/transport')});
        const { serverOf } = require(${compiled('mcp/servers-file')});
        const hears = { said() {}, sent() {} };
        transportTo(serverOf('spy', { command: 'sh', args: ${JSON.stringify(args)} }), '', hears).then((open) => open.start());`;
      // A terminal of its own, as a person who starts `holdfast` by hand has one.
      const inTerminal = ['-c', 'import pty, sys; pty.spawn(sys.argv[1:])', process.execPath, '-e', worker];
      execFileSync(PYTHON, inTerminal, { stdio: 'ignore', timeout: 60_000 });
      expect(readFileSync(answer, 'utf8')).toBe('none\n');
    } finally {
      await end();
    }
  });

  it.each(['a command', 'an MCP server'] as const)(
    '%s can neither read what a person types in a terminal of this user nor write to it',
    async (who) => {
      const { printedBy, end } = await withPrograms(programs);
      const terminal = spawn(PYTHON, ['-c', TERMINAL], { stdio: ['pipe', 'pipe', 'inherit'] });
      let said = '';
      terminal.stdout.on('data', (chunk: Buffer) => (said += chunk));
      try {
        await eventually('the terminal', () => Promise.resolve(said.includes('\n')));
        const name = said.trim();
        const printed = await printedBy[who](
          `echo made-up >${name}; timeout 2 head -c 12 <${name}; ${PYTHON} -c 'import os; print("own", len(os.openpty()))'`,
        );
        expect(printed).not.toContain(TYPED);
        expect(printed).toContain('own 2'); // programs still get terminals of their own
        terminal.stdin.end();
        await eventually('what it shows', () => Promise.resolve(terminal.exitCode !== null));
        expect(said).toContain(TYPED); // its own echo
        expect(said).not.toContain('made-up');
      } finally {
        terminal.kill('SIGKILL');
        await end();
      }
    },
  );

  it.each(['junk{\\n', 'x'])('a command cannot end the worker, or fill its memory, by what it writes to it: %j', async (said) => {
    const { printedBy, end } = await withPrograms(programs);
    const pieces = said.length === 1 ? 64 : 1; // MB without an end of line
    try {
      const printed = await printedBy['a command'](TO_THE_WORKER(`b'${said}' * ${said.length === 1 ? 1_000_000 : 1}`, pieces));
      expect(printed).toMatch(/^(?:taken|kept)/);
    } finally {
      await end();
    }
  });

  it('no process outlives its command, not even one that has left the process group', async () => {
    const { printedBy, end } = await withPrograms(programs);
    try {
      await printedBy['a command'](`setsid bash -c 'exec -a ${folder}-daemon sleep 600' & sleep 0.3; echo done`);
      await eventually('the end of the daemon', async () => processesWith(`${folder}-daemon`).length === 0);
    } finally {
      await end();
    }
  });
});

it('a command that has run cannot report, in the name of the program that starts it, that it was not started', async () => {
  const { inBash, end } = await withPrograms([]);
  try {
    // As a command does that stops its parent before the parent can say more, and takes its socket.
    const real = PATH.split(delimiter)
      .map((place) => join(place, 'bwrap'))
      .find(existsSync);
    const ran = join(folder, 'ran');
    const forges = [`{"ready":true}`, `{"starting":true}`, `{"notStarted":"spawn bash ENOENT"}`];
    const says = `echo '${forges[0]}' >&3; read -r work <&3; echo '${forges[1]}' >&3; : >${ran}; echo '${forges[2]}' >&3; sleep 1`;
    writeFileSync(
      join(folder, 'bwrap'),
      `#!/bin/sh\nfor last; do :; done\ncase $last in */command-runner.js) ;; *) exec ${real} "$@" ;; esac\n${says}\n`,
    );
    chmodSync(join(folder, 'bwrap'), 0o755);
    const answer = await inBash('true');
    expect(existsSync(ran)).toBe(true);
    expect(answer).toMatchObject({ ok: true, data: { exit_code: null, signal: 'SIGKILL' } });
  } finally {
    await end();
  }
});

it('a program named bwrap that isolates nothing does not count as isolation', async () => {
  const { inBash, end } = await withPrograms([]);
  try {
    writeFileSync(join(folder, 'bwrap'), '#!/bin/sh\nwhile [ "$1" != -- ]; do shift; done; shift; exec "$@"\n');
    chmodSync(join(folder, 'bwrap'), 0o755);
    expect(await isolation()).toMatchObject({ how: 'none', why: expect.stringMatching(/a program still sees \d+ processes/) });
    expect(await inBash('echo ran')).toMatchObject({ ok: false, reason: 'not_isolated' });
  } finally {
    await end();
  }
});

describe('where nothing isolates programs', () => {
  it('neither commands nor MCP servers run, and the error says what to do', async () => {
    const { inBash, inServer, end } = await withPrograms([]);
    try {
      expect(await isolation()).toMatchObject({ how: 'none' });
      const refused = await inBash('echo ran');
      expect(refused).toMatchObject({ ok: false, code: 'EXECUTION_ERROR', reason: 'not_isolated' });
      for (const words of ['bwrap is not installed', 'apt-get install bubblewrap', 'HOLDFAST_CHILDREN_MAY_READ_SECRETS=true'])
        expect(JSON.stringify(refused)).toContain(words);
      await expect(inServer('echo ran')).rejects.toThrow(/spy cannot be reached.*HOLDFAST_CHILDREN_MAY_READ_SECRETS=true/s);
    } finally {
      await end();
    }
  });

  it('the error says how a container must be started', () => {
    expect(whatToDo(true)).toMatch(
      /^This is a container: .*seccomp profile .*systempaths=unconfined .*"In a container".*; or set HOLDFAST_/,
    );
    expect(whatToDo(false)).toMatch(/^Install bubblewrap .*"Isolation".*; or set HOLDFAST_CHILDREN_MAY_READ_SECRETS=true/);
    const page = readFileSync(join(__dirname, '../../../docs/workspace.md'), 'utf8');
    for (const heading of ['## Isolation', '### In a container']) expect(page).toContain(`${heading}\n`);
  });

  it('they run once the setting accepts the risk, and can then read secrets', async () => {
    const { printedBy, end } = await withPrograms([]);
    try {
      acceptNoIsolation();
      for (const run of Object.values(printedBy)) expect(await run(`cat /proc/${victim.pid}/environ`)).toContain(SECRET);
    } finally {
      await end();
    }
  });
});

function processesWith(name: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith(name);
    } catch {
      return false;
    }
  });
}
