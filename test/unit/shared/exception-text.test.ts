import { exceptionText } from '../../../src/shared/wire/errors';
import { shortWithoutSecrets, withoutSecrets } from '../../../src/shared/text/secrets';
import { growth, IN_PROPORTION } from '../../support/growth';

describe('the text of an exception', () => {
  // Put together here: no scanner of repositories shall take them for keys.
  const letters = 'Ab1'.repeat(12);
  it.each([
    ['a key of Anthropic', `sk-ant-${letters}`],
    ['a key of OpenAI', `sk-proj-${letters}`],
    ['a key of Stripe', `sk_live_${letters}`],
    ['a token of GitHub', `ghp_${letters}`],
    ['a token of Slack', `xoxb-${letters}`],
    ['a key of AWS', `AKIA${'A1B2'.repeat(4)}`],
    ['a JWT', `eyJ${letters}.${letters}.${letters}`],
    ['a bearer token', `Bearer ${letters}`],
    ['a password in an address', `postgres://bank:${letters}@db/bank`],
    ['a password in a query', `https://bank.example/pay?password=${letters}&x=1`],
    ['a field of JSON', `{"api_key":"${letters}"}`],
    ['a field of JSON with a space', `{"password": "${letters}"}`],
    ['a field of JSON with a prefix', `{"client_secret":"${letters}"}`],
    ['a field of a form', `refresh_token=${letters}&x=1`],
    ['a variable', `DB_PASSWORD=${letters}`],
    ['a key of AWS in a variable', `AWS_SECRET_ACCESS_KEY=${letters}`],
    ['an identity', `idToken=${letters}`],
    ['a token of holdfast', `hft_${letters}`],
    ['a token of holdfast in a variable', `HOLDFAST_TOKEN=hft_${letters}`],
    ['a secret of webhooks', `whsec_${letters}`],
  ])('contains no secret: %s', (_name, secret) => {
    const text = exceptionText(new Error(`The bank answered 500 for ${secret} at once`));
    expect(text).toContain('The bank answered 500 for ');
    expect(text).not.toContain(letters);
    expect(text).not.toContain('A1B2');
    expect(text).toMatch(/ at once$/);
  });

  it.each([
    'No token was given.',
    'password: must not be empty',
    'risk-adjusted-return-is-negative',
    'tokens=3',
    'max_tokens=4096',
    'broken=yes=no',
  ])('stays as it is without one: %s', (text) => expect(exceptionText(text)).toBe(text));

  it.each([
    'eyJaaaaaaaa-',
    'eyJaaaaaaaa.',
    'sk-',
    'sk-ant-',
    'Bearer ',
    'ghp_',
    'xoxb-',
    'token=',
    'password: ',
    '"token":',
    '//',
    '//a@',
    'AKIA',
    'x-api-key: ',
    '_token=',
    '_secret":"',
    'hft_',
    'hft_-',
    'whsec_',
    'whsec_+',
  ])('is made in time that grows with the text, also of %j again and again', (part) => {
    expect(growth((length) => void withoutSecrets(part.repeat(length / part.length)), 60_000)).toBeLessThan(IN_PROPORTION);
  });

  it('costs nothing if the text is huge and only little of it is shown', () => {
    const before = process.cpuUsage();
    for (const huge of ['sk-ant-', 'token=x ', '//a@']) shortWithoutSecrets(huge.repeat(2_000_000), 500, ['another secret']);
    expect(process.cpuUsage(before).user).toBeLessThan(1_000_000);
  });

  it.each(Array.from({ length: 48 }, (_, n) => n))('contains no half of a secret if it is cut: %d characters of it', (n) => {
    // What stands before it is made short, so that the place of the cut is shown.
    const front = `Bearer ${'b'.repeat(32_768 - 7 - 1 - n)} `;
    for (const secret of [`ghp_${letters}`, 'my secret, with words']) {
      const text = `${front}${secret} and more ${'m'.repeat(9000)}`;
      const shown = shortWithoutSecrets(text, 500, ['my secret, with words']);
      expect(shown.length).toBeLessThanOrEqual(501);
      expect(shown).toMatch(/^Bearer \[key\] (\[key\] )?(and )?(more )?…$|^Bearer \[key\] …$/);
    }
  });

  it('is complete if it is short', () => {
    expect(shortWithoutSecrets('It is down.', 500)).toBe('It is down.');
    expect(shortWithoutSecrets('x'.repeat(600), 500)).toBe(`${'x'.repeat(500)}…`);
    expect(shortWithoutSecrets(`${'x'.repeat(31_000)} ${'y'.repeat(9000)}`, 500)).toBe(`${'x'.repeat(500)}…`);
  });

  it('has 10,000 characters at most', () => expect(exceptionText('x'.repeat(1_000_000))).toHaveLength(10_000));

  it('is well-formed, for any thrown value', () => {
    expect(exceptionText('\ud800')).toBe('\ufffd');
    expect(exceptionText(undefined)).toBe('undefined');
    expect(exceptionText({ toString: () => 'x' })).toBe('x');
  });

  it('shows no secret whose end lies beyond the kept part', () => {
    const before = (secret: string) => `${'x'.repeat(9_989 - secret.indexOf('|'))} ${secret.replace('|', '')} was refused`;
    for (const secret of [
      'ghp_01234567|89abcdefghijklmnopqrstuvwxyz',
      'postgres://ana:hunter2|hunter2@db',
      'Bearer abcdef|ghijklmnop',
    ])
      expect(exceptionText(new Error(before(secret))).slice(-60)).not.toMatch(/ghp_0|hunter2|abcdef/);
  });

  it('is a text for any thrown value, also for one without a text', () => {
    expect(exceptionText(Object.create(null))).toBe('what was thrown has no text');
    expect(exceptionText({ toString: () => ({}) })).toBe('what was thrown has no text');
  });
});
