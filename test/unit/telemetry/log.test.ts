import fc from 'fast-check';
import { withTurn } from '../../../src/telemetry/log';
import { capturedLog } from '../../support/captured-log';

describe('the log', () => {
  it('writes one JSON line an event: level, time, fields, message', () => {
    const { log, text, lines } = capturedLog('info');
    log.debug({ a: 1 }, 'too much');
    log.warn({ a: 1 }, 'careful\nnow');
    expect(text()).toMatch(/^[^\n]+\n$/);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(lines()).toEqual([{ level: 'warn', time, a: 1, msg: 'careful\nnow' }]);
  });

  it('takes a message alone, and an error alone', () => {
    const { log, lines } = capturedLog();
    log.info('up');
    log.error(new Error('down'));
    expect(lines()).toMatchObject([{ msg: 'up' }, { msg: 'down', err: { type: 'Error', message: 'down' } }]);
  });

  it('puts the ids of the turn that is worked for on every line', async () => {
    const { log, lines } = capturedLog();
    await withTurn({ trace_id: 'trace_1', turn_id: 't', call_id: '1.1', tool: 'pay' }, async () => {
      await Promise.resolve();
      log.info({ mine: true }, 'inside');
    });
    log.info('outside');
    expect(lines()[0]).toMatchObject({ trace_id: 'trace_1', turn_id: 't', call_id: '1.1', tool: 'pay', mine: true });
    expect(lines()[1]).not.toHaveProperty('trace_id');
  });

  it.each([
    'apiKey', 'api_key', 'API-KEY', 'x-api-key', 'token', 'accessToken', 'task_token', 'password', 'smtp_pass', 'pass', 'PASSWORD',
    'authorization', 'Proxy-Authorization', 'cookie', 'set-cookie', 'client_secret', 'privateKey', 'body_md', 'body', 'html',
  ])('writes no value of a field %s, however deep', (name) => {
    const { log, text } = capturedLog();
    log.info({ [name]: 'hunter2', deep: [{ er: { [name]: ['hunter2'] } }] }, 'x');
    log.child({ [name]: 'hunter2' }).info('x');
    log.error(Object.assign(new Error('x'), { request: { headers: { [name]: 'hunter2' } } }));
    expect(text()).not.toContain('hunter2');
    expect(text()).toContain('[redacted]');
  }); // oxfmt-ignore

  it.each([
    ['a key', 'the key sk-ant-api03-hunter2_x was refused', /the key \[key\] was refused/],
    ['a bearer token', 'Authorization: Bearer hunter2hunter2', /Bearer \[key\]/],
    ['a URL with a password', 'connect postgres://ana:hunter2@db/x failed', /postgres:\/\/\[credentials\]@db/],
    ['a header', 'sent "x-api-key: hunter2hunter2"', /x-api-key: \[key\]/],
    ['a password in a query', 'postgres://db/x?sslpassword=hunter2&a=1', /sslpassword=…/],
  ])('takes %s out of text: messages, fields, errors and their causes', (_what, secret, left) => {
    const { log, text, lines } = capturedLog();
    log.info(secret);
    log.info({ note: secret }, 'x');
    log.error(new Error('outer', { cause: new Error(secret) }), 'x');
    log.error({ nested: { errors: [new Error(secret)] } }, 'x');
    expect(text()).not.toContain('hunter2');
    expect(lines()[0]!.msg).toMatch(left);
    expect(lines()[1]!.note).toMatch(left);
    expect(lines()[3]!.nested.errors[0].message).toMatch(left);
  });

  it('keeps fields that only look secret: counts of tokens', () => {
    const { log, lines } = capturedLog();
    log.info({ input_tokens: 7, output_tokens: 8, passed: true }, 'x');
    expect(lines()[0]).toMatchObject({ input_tokens: 7, output_tokens: 8, passed: true });
  });

  it('limits its input: depth, breadth, length, cycles, getters that throw', () => {
    const { log, text, lines } = capturedLog();
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    let deep: object = {};
    for (let depth = 0; depth < 10_000; depth++) deep = { deep };
    const trap = Object.defineProperty({}, 'boom', { enumerable: true, get: () => { throw new Error('boom'); } }); // oxfmt-ignore
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`k${index}`, index]));
    log.info({ cycle, deep, trap, wide, long: 'x'.repeat(1_000_000), bytes: Buffer.alloc(9), big: 7n, when: new Date(0) }, 'x');
    expect(text().length).toBeLessThan(20_000);
    expect(lines()[0]).toMatchObject({
      trap: { boom: '[unreadable]' },
      bytes: '[9 bytes]',
      big: '7',
      when: '1970-01-01T00:00:00.000Z',
    });
  });

  it('writes one valid JSON line, and changes no prototype, for any input', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.oneof(fc.string(), fc.constant('__proto__')), fc.anything()),
        fc.string(),
        (fields, message) => {
          const { log, text, lines } = capturedLog();
          log.info(fields, message);
          expect(text().indexOf('\n')).toBe(text().length - 1);
          expect(lines()).toHaveLength(1);
        },
      ),
    );
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});
