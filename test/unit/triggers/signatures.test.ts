/** The signatures of webhooks, with examples that their senders have published, and with everything altered. */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { github, slack, standardWebhooks, stripe, type SignatureScheme } from '../../../src/triggers/signatures';
import { signedHeaders } from '../../../src/notify/webhook';

interface Example {
  scheme: SignatureScheme;
  headers: Record<string, string>;
  body: string;
  secret: string;
  /** When it was sent, Unix time in seconds. */
  at: number;
  /** What the delivery is found to be. */
  found: unknown;
}

const at = { secretEnv: 'SECRET' };
const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');

/** From the library of standardwebhooks.com, and its own tests. */
const standard: Example = {
  scheme: standardWebhooks(at),
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  at: 1614265330,
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
  found: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
};
/** From docs.github.com, Validating webhook deliveries: Testing the webhook payload validation. */
const ofGithub: Example = {
  scheme: github(at),
  secret: "It's a Secret to Everybody",
  at: 0,
  headers: {
    'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
  },
  body: 'Hello, World!',
  found: '72d3162e-cc78-11e3-81ab-4c9367dc0958',
};
/** From Slack's page on verifying requests. The body is a form: the signature is right, and it is not JSON. */
const ofSlack: Example = {
  scheme: slack(at),
  secret: '8f742231b10e8888abcd99yyyzzz85a5',
  at: 1531420618,
  headers: {
    'x-slack-request-timestamp': '1531420618',
    'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  },
  body: 'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c',
  found: 'not JSON',
};
/** Stripe has published the rule, and no example: this one is signed here, by the rule. */
const ofStripe: Example = {
  scheme: stripe(at),
  secret: 'whsec_test_secret',
  at: 1700000000,
  headers: { 'stripe-signature': `t=1700000000,v1=${hex('whsec_test_secret', '1700000000.{"id":"evt_1"}')},v0=6ffbb59b` },
  body: '{"id":"evt_1"}',
  found: 'evt_1',
};
const EXAMPLES: [string, Example][] = [
  ['Standard Webhooks', standard],
  ['GitHub', ofGithub],
  ['Slack', ofSlack],
  ['Stripe', ofStripe],
];
const WITH_TIME = EXAMPLES.filter(([, { at: time }]) => time > 0);

function verify(of: Example, changes: { body?: Buffer; headers?: object; secrets?: string[]; laterMs?: number } = {}): unknown {
  const { scheme, secret, at: time } = of;
  const { body = Buffer.from(of.body), headers = {}, secrets = [secret], laterMs = 0 } = changes;
  const json = () => JSON.parse(body.toString('utf8')) as never;
  try {
    return scheme.verify({ headers: { ...of.headers, ...headers }, body, json }, secrets, time * 1000 + laterMs);
  } catch (error) {
    if (error instanceof SyntaxError) return 'not JSON';
    throw error;
  }
}

/** The header that has the signature, and the time. */
const SIGNED = /signature|timestamp|^webhook-id$/;

describe.each(EXAMPLES)('the signature of %s', (_name, example) => {
  it('is right in the published example', () => expect(verify(example)).toBe(example.found));

  it('is wrong under another key, under none, and without its headers', () => {
    expect(verify(example, { secrets: [`${example.secret}x`.replace('whsec_', 'whsec_AAAA')] })).toBeNull();
    expect(verify(example, { secrets: [] })).toBeNull();
    const without = Object.fromEntries(Object.keys(example.headers).map((name) => [name, '']));
    expect(verify(example, { headers: without })).toBeNull();
  });

  it('may be of any of several keys, so that a key can be replaced', () => {
    for (const secrets of [
      [example.secret, 'whsec_bmV3IGtleQ=='],
      ['whsec_bmV3IGtleQ==', example.secret],
    ])
      expect(verify(example, { secrets })).toBe(example.found);
  });

  it('is wrong if any bit of the body is altered, or a part is missing or more', () => {
    const body = Buffer.from(example.body);
    fc.assert(
      fc.property(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), (position, bits) => {
        const altered = Buffer.from(body);
        altered[position]! ^= bits;
        expect(verify(example, { body: altered })).toBeNull();
      }),
    );
    for (const altered of [body.subarray(1), body.subarray(0, -1), Buffer.concat([body, Buffer.from('\n')]), Buffer.alloc(0)])
      expect(verify(example, { body: altered })).toBeNull();
  });

  it('is wrong if any character of what is signed in the headers, or of the signature, is another one', () => {
    for (const [name, value] of Object.entries(example.headers).filter(([one]) => SIGNED.test(one))) {
      // Stripe's `v0` is no signature of deliveries: it may be anything.
      const counts = value.replace(/,v0=.*$/, '');
      fc.assert(
        fc.property(fc.nat(counts.length - 1), fc.constantFrom(...'0aAfz+/=,; v1_'), (position, character) => {
          fc.pre(value[position] !== character);
          const altered = `${value.slice(0, position)}${character}${value.slice(position + 1)}`;
          expect(verify(example, { headers: { [name]: altered } })).toBeNull();
        }),
      );
    }
  });
});

describe.each(WITH_TIME)('a delivery of %s', (_name, example) => {
  it('counts within five minutes of its time, and not later or earlier', () => {
    for (const laterMs of [0, 299_000, 300_000, -300_000]) expect(verify(example, { laterMs })).toBe(example.found);
    for (const laterMs of [300_001, -300_001, 86_400_000]) expect(verify(example, { laterMs })).toBeNull();
  });
});

it('a webhook of holdfast’s own is one of Standard Webhooks', () => {
  const body = '{"type":"turn.ended"}';
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const headers = signedHeaders(secret, 'msg_1', body);
  const example = { ...standard, secret, body, headers, at: Math.floor(Date.now() / 1000) };
  expect(verify(example)).toBe('msg_1');
});

it('the sender may sign with several keys meanwhile', () => {
  const { headers, secret, at: time } = ofStripe;
  const [, right] = /v1=([0-9a-f]+)/.exec(headers['stripe-signature']!)!;
  expect(verify(ofStripe, { headers: { 'stripe-signature': `t=${time},v1=${'0'.repeat(64)},v1=${right}` } })).toBe('evt_1');
  expect(verify(ofStripe, { headers: { 'stripe-signature': `t=${time},t=${time},v1=${right}` } })).toBeNull();
  const signature = `v1a,AAAA v1,${'A'.repeat(43)}= ${standard.headers['webhook-signature']}`;
  expect(verify(standard, { headers: { 'webhook-signature': signature } })).toBe(standard.found);
  expect(verify(standard, { headers: { 'webhook-signature': signature }, secrets: [secret] })).toBeNull();
});

describe('a key that is nothing', () => {
  it('signs nothing: neither an empty one, nor one that no base64 is in', () => {
    const empty = createHmac('sha256', '').update(`msg_1.${standard.at}.{}`).digest('base64');
    const headers = { 'webhook-id': 'msg_1', 'webhook-signature': `v1,${empty}` };
    for (const secret of ['whsec_', '', '!!!'])
      expect(verify(standard, { body: Buffer.from('{}'), headers, secrets: [secret] })).toBeNull();
  });
});

describe('a delivery of Slack', () => {
  const sent = (event: object) => {
    const body = JSON.stringify(event);
    const signature = `v0=${hex(ofSlack.secret, `v0:${ofSlack.at}:${body}`)}`;
    return verify({ ...ofSlack, body }, { headers: { 'x-slack-signature': signature } });
  };
  it('has the id of its event, and the question for the address is answered', () => {
    expect(sent({ type: 'event_callback', event_id: 'Ev08MFMKH6' })).toBe('Ev08MFMKH6');
    expect(sent({ type: 'url_verification', challenge: '3eZbrw1aB' })).toEqual({ answer: { challenge: '3eZbrw1aB' } });
    expect(sent({ type: 'event_callback' })).toBe('');
    expect(verify({ ...ofSlack, body: '{"type":"url_verification","challenge":"x"}' })).toBeNull();
  });
});
