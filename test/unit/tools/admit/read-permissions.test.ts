import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPermissions } from '../../../../src/rules/read-permissions';
import { prepared } from './support';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-rules-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

const YAML = `mode: auto
allow:
  - edit_file(/src/**)
ask:
  - rule: send
    when: turn.untrusted
    why: somebody else may have asked
deny: ['bash(rm *)']
`;

describe('rules in a file', () => {
  it('are the same object as rules in the code, from YAML and from JSON', () => {
    const rules = {
      mode: 'auto',
      allow: ['edit_file(/src/**)'],
      ask: [{ rule: 'send', when: 'turn.untrusted', why: 'somebody else may have asked' }],
      deny: ['bash(rm *)'],
    };
    expect(readPermissions(file('a.yaml', YAML))).toEqual(rules);
    expect(readPermissions(file('a.json', JSON.stringify(rules)))).toEqual(rules);
    expect(prepared(readPermissions(join(folder, 'a.yaml'))).policy.mode).toBe('auto');
  });

  it('that are wrong are all reported, with their lines', () => {
    const path = file('wrong.yaml', 'mode: fast\nallow:\n  - "look("\n  - rule: look\n    when: "1 +"\nextra: 1\n');
    const faults = () => readPermissions(path);
    expect(faults).toThrow(/wrong\.yaml holds no permission rules/);
    expect(faults).toThrow(/line 1: permissions.extra is no field/);
    expect(faults).toThrow(/mode is "fast"; it must be one of default, auto, plan, locked/);
    expect(faults).toThrow(/line 3: allow: "look\("/);
    expect(faults).toThrow(/line 4: allow: when of "look"/);
  });

  it('are reported by a list of faults, one a line: syntax errors first, and faults of the rules if the syntax is right', () => {
    const faultsOf = (name: string, text: string) => {
      try {
        readPermissions(file(name, text));
        return [];
      } catch (error) {
        return (error as Error).message.replace(`${folder}/`, '').split('\n');
      }
    };
    expect(faultsOf('two.yaml', 'allow:\n  - "look("\n  - "(x"\n')).toEqual([
      'two.yaml holds no permission rules:',
      expect.stringMatching(/^- line 2: allow: "look\("/),
      expect.stringMatching(/^- line 3: allow: "\(x"/),
    ]);
    const broken = faultsOf('broken.yaml', 'allow: []\nallow: ["look("]\n');
    expect(broken).toEqual(['broken.yaml holds no permission rules:', '- line 2: Map keys must be unique at line 2, column 1:']);
  });

  it.each([
    ['no mapping', '- a\n', 'it must be a mapping with mode, allow, ask, deny'],
    ['nothing', '', 'it must be a mapping'],
    ['broken YAML', 'allow: [a\nb: "', 'line '],
    ['a list that is none', 'allow: look\n', 'permissions.allow must be a list'],
    ['a key twice', 'allow: []\nallow: []\n', 'line 2'],
  ])('%s causes a clear error', (_what, text, message) => {
    expect(() => readPermissions(file('x.yaml', text))).toThrow(message);
  });

  it('a missing file causes a clear error', () => {
    expect(() => readPermissions(join(folder, 'none.yaml'))).toThrow(/none\.yaml cannot be read/);
  });

  it('aliases cannot make a small file huge', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefg'[index]}`).join(',')}]`)
      .join('\n')}\nallow: *h\n`;
    expect(() => readPermissions(file('bomb.yaml', bomb))).toThrow();
  });
});
