import { readUri, uriFaults, uriTemplateFaults, variablesOf } from '../../../src/shared/text/uri-template';

describe('URI templates', () => {
  it('give the variables of a URI that fits, decoded', () => {
    const template = 'invoice://{customer}/years/{year}.json';
    expect(uriTemplateFaults(template)).toEqual([]);
    expect(variablesOf(template)).toEqual(['customer', 'year']);
    expect(readUri(template, 'invoice://a%20b/years/2026.json')).toEqual({ customer: 'a b', year: '2026' });
    expect(readUri(template, 'invoice://a-b/years/2.0.json')).toEqual({ customer: 'a-b', year: '2.0' });
    for (const other of [
      'invoice://a/years/.json',
      'invoice:///years/1.json',
      'invoice://a/years/1.json/x',
      'invoice://a/b/years/1.json',
      'INVOICE://a/years/1.json',
      '',
    ])
      // oxfmt-ignore
      expect(readUri(template, other)).toBeNull();
  });

  it.each(['..', '%2e%2e', '.', 'a%2Fb', '..%5Cb', 'a%00', 'a%0Ab', '%', '%ff', '%C0%AE', 'a?b', 'a#b'])(
    '%s is no variable: it names one thing, beside any other text',
    (value) => {
      expect(readUri('notes://{id}', `notes://${value}`)).toBeNull();
    },
  );

  it('take no longer for a URI that nearly fits', () => {
    const template = `t://${Array.from({ length: 20 }, (_, index) => `{v${index}}-x`).join('/')}/end`;
    expect(uriTemplateFaults(template)).toEqual([]);
    const began = performance.now();
    expect(readUri(template, `t://${Array.from({ length: 20 }, () => '-x'.repeat(40)).join('/')}/en`)).toBeNull();
    expect(readUri(template, `t://${'a'.repeat(10_000_000)}`)).toBeNull();
    expect(performance.now() - began).toBeLessThan(1000);
  });

  it.each([
    ['notes://a', 'has no variable'],
    ['{scheme}://a', 'scheme in lower case'],
    ['a{b}:c', 'scheme in lower case'],
    ['notes://{a}{b}', 'needs a / between'],
    ['notes://{a}-{b}', 'needs a / between'],
    ['notes://{a}/{a}', 'one variable twice'],
    ['notes://{?a}', 'has no variable'],
    ['notes://{a}/{+b}', 'braces that are no variable'],
    ['notes://{a', 'has no variable'],
    ['holdfast://files/{ref}', 'the scheme holdfast'],
    [7, 'must be a URI'],
  ])('of a definition are refused where they have a fault: %j (%s)', (template, fault) => {
    expect(uriTemplateFaults(template).join()).toContain(fault);
  });

  it('the URI of a resource has a scheme, and consists of printable ASCII', () => {
    for (const uri of ['terms', 'Handbook://a', 'a b://c', 'handbook://ä', `a://${'x'.repeat(2000)}`, null])
      expect(uriFaults(uri).join()).toContain('must be a URI');
    expect(uriFaults('handbook://terms?a=1#b')).toEqual([]);
  });
});
