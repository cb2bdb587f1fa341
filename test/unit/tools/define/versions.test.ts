import semver from 'semver';
import { defineAgent, defineApp } from '../../../../src/agents/define';
import { admit } from '../../../../src/tools/admit/admit';
import { isSunset, isVersion, sunsetFault, resolveReference } from '../../../../src/tools/define/versions';
import { Registry } from '../../../../src/tools/catalogue/registry';
import { reads } from '../../../support/tools';

const search = (version: string, more: object = {}) => reads('search', () => version, { version, ...more });
const toolbox = ['1.0.0', '1.2.0', '1.10.1', '2.0.0', '3.0.0-rc.1'].map((version) => search(version));
const agent = (tools: any[], name = 'a') => defineAgent({ name, prompt: 'p', tools });

describe('a tool that is named', () => {
  it.each([
    ['search', '2.0.0'],
    ['search@1.2.0', '1.2.0'],
    ['search@^1.2', '1.10.1'],
    ['search@1.x', '1.10.1'],
    ['search@3.0.0-rc.1', '3.0.0-rc.1'],
    ['search@>=1 <1.10', '1.2.0'],
  ])('%s means %s', (reference, version) => {
    expect(resolveReference(reference, toolbox)).toMatchObject({ version });
  });

  it('means a prerelease if there is no other version', () => {
    expect(resolveReference('search', [search('0.1.0-beta.1')])).toMatchObject({ version: '0.1.0-beta.1' });
  });

  it.each([
    ['search@^4', /"search@\^4" fits no version of search; there is: 1\.0\.0, 1\.2\.0, 1\.10\.1, 2\.0\.0, 3\.0\.0-rc\.1/],
    ['find', /"find" fits no tool: there is none named "find"/],
    ['search@newest', /holds no range of versions; write search, search@1\.2\.0 or search@\^1\.2/],
  ])('%s is a fault, and the error lists the versions', (reference, message) => {
    expect(() => defineApp({ agents: [agent([reference])], tools: toolbox })).toThrow(message);
  });

  it('has one version for the model, with any other versions registered, and agents may differ', () => {
    const app = defineApp({ agents: [agent(['search@1.2.0'], 'old'), agent(['search'], 'new')], tools: toolbox });
    const registry = new Registry(app);
    const versions = (name: string) =>
      [...registry.agent(name)!.tools.values()].map(({ tool }) => `${tool.name}@${tool.version}`);
    expect(versions('old')).toEqual(['search@1.2.0', 'read_result@1.0.1']);
    expect(versions('new')).toEqual(['search@2.0.0', 'read_result@1.0.1']);
    expect(registry.find('new', 'search', '1.10.1')).toBe(toolbox[2]);
    expect(registry.find('new', 'search', '9.0.0')).toBeUndefined();
    expect(() => agent(['search@1', 'search@2'])).toThrow('two tools have one name: search');
    expect(() => defineApp({ agents: [], tools: [search('1.0.0'), search('1.0.0')] })).toThrow('search@1.0.0 twice');
  });
});

describe('a tool with a restricted audience', () => {
  const tools = [
    reads('everywhere', () => 1),
    reads('in_production', () => 2, { environments: ['production'] }),
    reads('inside', () => 3, { internalOnly: true }),
  ];
  const served = (environment?: string) =>
    new Registry(defineApp({ agents: [agent(tools)] }), environment === undefined ? {} : { environment });
  const names = (environment?: string) =>
    served(environment)
      .agent('a')!
      .catalogue.map((tool) => tool.name);

  it('exists only in the environments that it names; if no environment is set, in none', () => {
    expect(names()).toEqual(['everywhere', 'read_result']);
    expect(names('staging')).toEqual(['everywhere', 'read_result']);
    expect(names('production')).toEqual(['everywhere', 'in_production', 'read_result']);
    expect(served('staging').find('a', 'in_production', '1.0.0')).toBeUndefined();
  });

  it('is neither shown to a model nor run for it when it is internal, and is there for other code', async () => {
    const registry = served('production');
    const { error } = await admit(registry.agent('a')!, { name: 'inside', json: '{}', cut: false });
    expect(error).toMatchObject({ code: 'TOOL_NOT_FOUND' });
    expect(error!.hint).not.toContain('inside');
    expect(registry.find('a', 'inside', '1.0.0')).toBe(tools[2]);
  });
});

describe('the sunset date', () => {
  const tool = search('1.0.0', { deprecated: true, sunsetDate: '2026-03-01' });

  it('begins at midnight UTC', () => {
    expect(isSunset(tool, new Date('2026-02-28T23:59:59.999Z'))).toBe(false);
    expect(isSunset(tool, new Date('2026-03-01T00:00:00Z'))).toBe(true);
    expect(isSunset(search('1.0.0', { deprecated: true }), new Date('2999-01-01'))).toBe(false);
  });

  it('says what can be done, also if nothing replaces the tool', () => {
    expect(sunsetFault(tool, new Date('2027-01-01'))).toMatchObject({ message: 'search@1.0.0 was retired on 2026-03-01.', hint: expect.any(String) }); // oxfmt-ignore
  });
});

describe('another app for a running worker', () => {
  it('is loaded completely or not at all', () => {
    const registry = new Registry(defineApp({ agents: [agent(toolbox.slice(0, 1))] }));
    const broken = { agents: [agent([]), { ...agent([]), name: 'b', tools: [{ name: 'x', input: { type: 'nothing' } }] }] };
    expect(() => registry.replace(broken as never)).toThrow();
    expect(registry.names()).toEqual(['a']);
    expect([...registry.agent('a')!.tools.keys()]).toEqual(['search', 'read_result']);
  });
});

it('accepts exactly the versions of semver.org, also without asking the package semver', () => {
  const parts = ['0', '1', '01', '42', '9007199254740991', '9007199254740992', '99999999999', '-1', 'x', '', ' 1'];
  const texts = parts.flatMap((major) =>
    parts.flatMap((patch) => [`${major}.2.${patch}`, `${major}.2.${patch}-rc.1`, `${major}.${patch}`]),
  );
  const asSemver = (text: string) => /^\d\S*$/.test(text) && semver.valid(text) !== null;
  expect(texts.filter((text) => isVersion(text) !== asSemver(text))).toEqual([]);
  expect(texts.filter(isVersion).length).toBeGreaterThan(20);
});
