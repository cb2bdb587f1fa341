import { clientLog, type LogLine } from '../../../src/activities/call/tool-context';
import { eventsOf, packetsOf } from '../../../src/live/live-event-packets';
import { silent } from '../../support/silent';

const at = '2026-11-25T00:00:00.000Z';

function lines(log: (logger: ReturnType<typeof clientLog>) => void): LogLine[] {
  const told: LogLine[] = [];
  log(clientLog(silent, (line) => void told.push(line)));
  return told;
}

const dataOf = (log: (logger: ReturnType<typeof clientLog>) => void) => lines(log).map(({ text }) => JSON.parse(text) as unknown);

describe('what a tool logs, for the client of the call', () => {
  it('is the text, or the fields with it, at the level that it was logged at; the log has it too', () => {
    const logged: unknown[] = [];
    const log = { ...silent, warn: (...line: unknown[]) => void logged.push(line) };
    const told: LogLine[] = [];
    const both = clientLog(log, (line) => void told.push(line));
    both.warn({ left: 3 }, 'slow');
    expect(logged).toEqual([[{ left: 3 }, 'slow']]);
    expect(told).toEqual([{ level: 'warning', text: '{"left":3,"message":"slow"}' }]);
    const levels = lines((tool) => {
      tool.debug({}, 'a');
      tool.info({}, 'b');
      tool.error({}, 'c');
    });
    expect(levels).toEqual([
      { level: 'debug', text: '"a"' },
      { level: 'info', text: '"b"' },
      { level: 'error', text: '"c"' },
    ]);
  });

  it('contains no secret, and of an error no stack', () => {
    const error = Object.assign(new Error('refused: Bearer abcdefghijklmnopqrstuvwxyz0123456789'), { token: 't0p' });
    const told = lines((log) => {
      log.info({ password: 'hunter2', nested: { api_key: 'k-1' } }, 'postgres://ada:hunter2@db/x');
      log.error({ err: error });
      log.error(error, 'failed');
    });
    const text = JSON.stringify(told);
    for (const secret of ['hunter2', 'k-1', 'abcdefghijklmnopqrstuvwxyz', 't0p', __filename, 'stack'])
      expect(text).not.toContain(secret);
    expect(JSON.parse(told[2]!.text)).toMatchObject({ err: { message: expect.stringContaining('refused') }, message: 'failed' });
  });

  it('is shortened if it is neither fields nor a text, and nothing that a tool logs makes the call fail', () => {
    expect(dataOf((log) => log.info('only text' as never))).toEqual(['only text']);
    expect(dataOf((log) => log.info(undefined as never, 'half \ud800'))).toEqual(['half \ufffd']);
    const hostile = new Proxy({}, { ownKeys: () => { throw new Error('no'); } }); // oxfmt-ignore
    expect(dataOf((log) => log.info(hostile))).toEqual(['[unreadable]']);
    const circle: Record<string, unknown> = { big: 7n };
    circle.circle = circle;
    expect(dataOf((log) => log.info(circle))).toMatchObject([{ big: '7' }]);
  });

  it('is bounded: a long line is cut to what one message between processes carries, and no run tells more than 500', () => {
    for (const char of ['x', '\u0000', '"', '\u{1F600}', 'ä']) {
      const [line] = lines((log) => log.info({ fields: char.repeat(50_000) }, char.repeat(50_000)));
      expect(JSON.parse(line!.text)).toMatchObject({ cut: true });
      const event = { at, type: 'tool_log' as const, call: '1.1', tool: 'look', ...line! };
      expect(packetsOf([event], 7900, () => 'n').flatMap(eventsOf)).toEqual([event]);
    }
    expect(lines((log) => { for (let count = 0; count < 600; count++) log.info({ count }); })).toHaveLength(500); // oxfmt-ignore
  });
});
