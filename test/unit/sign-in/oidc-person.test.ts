import * as fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayWord } from '../../../src/attestation/gateway-key';
import { SigningKey } from '../../../src/attestation/signing-key';
import type { OidcSettings } from '../../../src/config/sign-in';
import { hashJson } from '../../../src/shared/json/digests';
import type { Json, JsonObject } from '../../../src/shared/json/json';
import { samePerson } from '../../../src/shared/approval/approval';
import { forgetName, personOf, rolesOfGroups, type OidcPerson } from '../../../src/sign-in/oidc-person';
import { FileRegisters } from '../../../src/store/files/file-registers';

const settings: OidcSettings = {
  issuer: 'https://id.example',
  clientId: 'desk',
  clientSecret: null,
  groups: new Map([
    ['payments', ['approver', 'treasurer']],
    ['audit', ['auditor', 'approver']],
  ]),
  groupsClaim: 'groups',
  nameClaim: null,
  tenantClaim: null,
  scopes: 'openid email',
};

const word = new GatewayWord(SigningKey.generate(), 'store', async () => []);
let dir: string;
let registers: FileRegisters;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-person-'));
  registers = await FileRegisters.open(dir, tmpdir());
});
afterEach(async () => {
  registers.close();
  await rm(dir, { recursive: true, force: true });
});
const of = (claims: object, more: Partial<OidcSettings> = {}) =>
  personOf({ sub: 'u-1', groups: ['payments'], ...claims }, { ...settings, ...more }, { registers, word });
const nameOf = async (claims: object, more: Partial<OidcSettings> = {}) => {
  const person = await of(claims, more);
  return typeof person === 'string' ? person : person.principal;
};

describe('the name of a person of a provider', () => {
  it('is the e-mail address that the provider has verified, else the subject', async () => {
    expect(await nameOf({ sub: 'u-1', email: 'ana@bank.example', email_verified: true })).toBe('ana@bank.example');
    expect(await nameOf({ sub: 'u-2', email: 'ben@bank.example' })).toBe('u-2');
    for (const [n, email_verified] of ['true', 1, {}, [true], null].entries())
      expect(await nameOf({ sub: `v-${n}`, email: 'ceo@bank.example', email_verified })).toBe(`v-${n}`);
  });

  it('is of the claim that the settings name, if they name one, and an address only if it is verified', async () => {
    expect(await nameOf({ login: 'ana' }, { nameClaim: 'login' })).toBe('ana');
    expect(await nameOf({ sub: 'u-2' }, { nameClaim: 'login' })).toBe('no_name');
    expect(await nameOf({ sub: 'u-3', email: 'ceo@bank.example', email_verified: false }, { nameClaim: 'email' })).toBe(
      'no_name',
    );
  });

  it.each(['acme/ana', '/', '', 'x'.repeat(201), 'ana\n', 'a\u202Eb', 'ana\u0000', 'local', 7, null, ['ana'], { a: 1 }])(
    'cannot be %j',
    async (login) => {
      expect(await nameOf({ login }, { nameClaim: 'login' })).toBe('no_name');
    },
  );

  it('has the tenant of its claim, and nobody without one comes in', async () => {
    expect(await nameOf({ sub: 'ana', org: 'acme' }, { tenantClaim: 'org' })).toBe('acme/ana');
    // Names of schedules and triggers, which are no people.
    for (const org of [undefined, '', 'a/b', 7, ['acme'], 'schedule', 'Schedule', 'trigger'])
      expect(await nameOf({ sub: 'eve', org }, { tenantClaim: 'org' })).toBe('no_name');
  });

  it('belongs to the subject that came first with it: no second one becomes the same principal', async () => {
    const ana = { sub: 'u-1', email: 'ana@bank.example', email_verified: true };
    expect(await nameOf(ana)).toBe('ana@bank.example');
    for (const email of ['ana@bank.example', 'ANA@bank.example', 'ana@bank.exa\u200Bmple', 'ａna@bank.example'])
      expect(['name_taken', 'no_name']).toContain(await nameOf({ ...ana, sub: 'u-2', email }));
    expect(await nameOf({ sub: 'ana@bank.example' })).toBe('name_taken');
    expect(await nameOf(ana)).toBe('ana@bank.example');
    expect(await nameOf({ ...ana, sub: 'u-2', email: 'ana.b@bank.example' })).toBe('ana.b@bank.example');
  });

  it('stays what it was first: nobody is two approvers by changing an address', async () => {
    const claims = { sub: 'u-1', email: 'ana@bank.example', email_verified: true };
    expect(await nameOf(claims)).toBe('ana@bank.example');
    expect(await nameOf({ ...claims, email: 'ana.maria@bank.example' })).toBe('ana@bank.example');
    expect(await nameOf({ ...claims, email_verified: false })).toBe('ana@bank.example');
    expect(await nameOf({ ...claims, email: 'ana.maria@bank.example' }, { nameClaim: 'email' })).toBe('ana@bank.example');
  });

  it('is refused with another tenant than that with which it first came', async () => {
    const ana = { sub: 'u-1', login: 'ana', org: 'acme' };
    const byOrg = { nameClaim: 'login', tenantClaim: 'org' };
    const without = { nameClaim: 'login' };
    expect(await nameOf(ana, without)).toBe('ana');
    expect(await nameOf(ana, byOrg)).toBe('other_tenant');
    expect(await nameOf(ana, without)).toBe('ana');
    const ben = { sub: 'u-2', login: 'ben', org: 'acme' };
    expect(await nameOf(ben, byOrg)).toBe('acme/ben');
    expect(await nameOf({ ...ben, login: 'ben.b' }, byOrg)).toBe('acme/ben');
    for (const org of ['globex', 'Acme']) expect(await nameOf({ ...ben, org }, byOrg)).toBe('other_tenant');
    expect(await nameOf(ben, without)).toBe('other_tenant');
    expect(await nameOf(ben, byOrg)).toBe('acme/ben');
  });

  it('is not given to two tenants at once', async () => {
    const orgs = ['acme', 'globex', 'acme', 'globex'];
    const people = await Promise.all(orgs.map((org) => nameOf({ sub: 'ana', org }, { tenantClaim: 'org' })));
    const first = people.find((one) => one !== 'other_tenant')!;
    expect(people).toEqual(orgs.map((org) => (first === `${org}/ana` ? first : 'other_tenant')));
  });

  it('may be another one after it was forgotten, and stays the old owner’s', async () => {
    const names = { nameClaim: 'login', tenantClaim: 'org' };
    const ana = { sub: 'u-1', login: 'ana', org: 'acme' };
    const forget = (name: string, issuer = settings.issuer) => forgetName(registers, issuer, name);
    expect(await nameOf(ana, names)).toBe('acme/ana');
    for (const name of ['ana', 'globex/ana', '']) expect(await forget(name)).toBe(false);
    expect(await forget('acme/ana', 'https://other.example')).toBe(false);
    expect(await forget('ACME/ana')).toBe(true);
    expect(await forget('acme/ana')).toBe(false);
    expect(await nameOf({ ...ana, org: 'globex' }, names)).toBe('globex/ana');
    expect(await nameOf({ ...ana, sub: 'u-2' }, names)).toBe('name_taken');
    expect(await forget('acme/ana')).toBe(false);
    expect(await nameOf({ ...ana, org: 'globex' }, names)).toBe('globex/ana');
    expect(await forget('globex/ana')).toBe(true);
    expect(await nameOf(ana, names)).toBe('acme/ana');
  });

  it('is not one that somebody has written into the store: a name that no gateway signed gives nobody another one', async () => {
    const eve = { sub: 'u-2', login: 'eve' };
    const subject = `kept/sign-in/subject/${hashJson({ issuer: settings.issuer, subject: 'u-2' })}`;
    const write = (value: Json) => registers.update(subject, () => ({ value, answer: null }));
    await write({ name: 'ana' });
    expect(await nameOf(eve, { nameClaim: 'login' })).toBe('other_name');
    await write({ name: 'Eve' });
    expect(await nameOf(eve, { nameClaim: 'login' })).toBe('Eve');
    const { value: signed } = await registers.read(subject);
    expect(await nameOf({ ...eve, login: 'eva' }, { nameClaim: 'login' })).toBe('Eve');
    await write({ ...(signed as JsonObject), name: 'ana' });
    expect(await nameOf(eve, { nameClaim: 'login' })).toBe('other_name');
    await nameOf({ sub: 'u-1', login: 'ana' }, { nameClaim: 'login' });
    const ana = `kept/sign-in/subject/${hashJson({ issuer: settings.issuer, subject: 'u-1' })}`;
    await write((await registers.read(ana)).value);
    expect(await nameOf(eve, { nameClaim: 'login' })).toBe('other_name');
    await write(null);
    expect(await nameOf(eve, { nameClaim: 'login' })).toBe('eve');
  });

  it('is one for one subject and no other, in whatever order and however often they come, also at once', async () => {
    const visit = fc.record({ sub: fc.constantFrom('s1', 's2', 's3'), login: fc.constantFrom('a', 'A', 'b', 'ｂ', 'c ', 'c') });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(visit, { maxLength: 12 }), fc.boolean(), async (visits, atOnce) => {
        const own = { ...settings, issuer: `https://id-${run++}.example`, nameClaim: 'login' };
        const come = (claims: { sub: string }) => personOf({ groups: ['audit'], ...claims }, own, { registers, word });
        const people: (OidcPerson | string)[] = [];
        if (atOnce) people.push(...(await Promise.all(visits.map(come))));
        else for (const claims of visits) people.push(await come(claims));
        const met = visits.flatMap(({ sub }, n) => {
          const person = people[n]!;
          return typeof person === 'string' ? [] : [{ sub, name: person.principal }];
        });
        for (const one of met) for (const other of met) expect(samePerson(one.name, other.name)).toBe(one.sub === other.sub);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the groups of a person', () => {
  const rolesFor = async (groups: unknown) => {
    const person = await of({ groups });
    return typeof person === 'string' ? person : rolesOfGroups(person.groups, settings);
  };

  it('give the roles of the settings, each once', async () => {
    expect(await rolesFor(['payments'])).toEqual(['approver', 'treasurer']);
    expect(await rolesFor('audit')).toEqual(['auditor', 'approver']);
    expect(await rolesFor(['audit', 'payments', 'audit', 'other'])).toEqual(['auditor', 'approver', 'treasurer']);
  });

  it.each([
    ['none', undefined],
    ['an unknown one', ['admin']],
    ['a role instead of a group', ['approver']],
    ['two in one text', 'payments audit'],
    ['other letters', ['Payments', 'payments ', 'payments\u0000']],
    ['not text', [7, null, {}, ['payments'], { toString: 'payments' }]],
    ['names of every object', ['__proto__', 'constructor', 'toString', 'hasOwnProperty']],
    ['an object', { payments: true, 0: 'payments', length: 1 }],
  ])('that are %s let nobody in', async (_name, groups) => {
    expect(await rolesFor(groups)).toBe('no_group');
  });

  it('may be very many: those beyond 2,000 do not count, and nothing takes long', async () => {
    const many = Array.from({ length: 300_000 }, (_, n) => `g-${n}`);
    expect(await rolesFor(['payments', ...many])).toEqual(['approver', 'treasurer']);
    expect(await rolesFor([...many, 'payments'])).toBe('no_group');
    expect(await rolesFor(Array.from({ length: 300_000 }, () => 'payments'))).toEqual(['approver', 'treasurer']);
  });
});

it('the provider may end a sign-in early, by a time and nothing else', async () => {
  const atMost = async (session_expiry: unknown) => ((await of({ session_expiry })) as OidcPerson).atMost;
  expect(await atMost(1_800_000_000)).toBe(1_800_000_000_000);
  for (const value of [undefined, '1800000000', Infinity, NaN, null, {}]) expect(await atMost(value)).toBeNull();
});
