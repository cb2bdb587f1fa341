import { readdirSync } from 'node:fs';
import { Place } from './support';

/** Shell syntax that would make a file, if any shell ever read it. */
function injections(marker: string): string[] {
  const make = `touch ${marker}`;
  const tight = `touch\${IFS}${marker}`;
  const wrappers = (command: string) => [
    `;${command}`,
    `;${command};`,
    `&${command}&`,
    `&&${command}`,
    `||${command}`,
    `|${command}`,
    `\n${command}\n`,
    `\r\n${command}`,
    `$(${command})`,
    `\`${command}\``,
    `<(${command})`,
    `>(${command})`,
    `"; ${command}; "`,
    `'; ${command}; '`,
    `') ; ${command} #`,
    `") ; ${command} #`,
    `{${command.replace(' ', ',')}}`,
    `a\n${command}`,
    `\${x:-$(${command})}`,
    `$((\`${command}\`))`,
    `!${command}`,
    `%0a${command}`,
  ];
  return [
    ...wrappers(make),
    ...wrappers(tight),
    `$'\\x3b${make}'`,
    `> ${marker}`,
    `>${marker}`,
    `>> ${marker}`,
    `2> ${marker}`,
    `&> ${marker}`,
    `| tee ${marker}`,
    `X=1 ${make}`,
    `PATH=. ${make}`,
    `BASH_ENV=${marker} x`,
    `alias ls='${make}'; ls`,
    `ls() { ${make}; }; ls`,
    `<<EOF\n$(${make})\nEOF`,
    `<<<"$(${make})"`,
    `a[$(${make})]`,
    `() { :;}; ${make}`,
    `-exec ${make} ;`,
    `--checkpoint-action=exec=${make}`,
    `-o ProxyCommand=${tight}`,
    `$(echo ${Buffer.from(make).toString('base64')}|base64 -d|sh)`,
  ];
}

it('shell syntax in paths, patterns and texts has no effect: file tools have no shell', async () => {
  const place = new Place();
  place.put('src/a.ts', 'one\n');
  const attempts = injections(`${place.base}/pwned`);
  expect(attempts.length).toBeGreaterThanOrEqual(60);
  const before = place.outsideState();
  for (const text of attempts) {
    for (const [tool, input] of [
      ['read_file', { path: text }],
      ['read_file', { path: `/src/${text}` }],
      ['write_file', { path: `/written/${text.replaceAll('/', '_')}`, content: text }],
      ['edit_file', { path: '/src/a.ts', old_text: text, new_text: text + text }],
      ['glob', { pattern: text }],
      ['glob', { pattern: '**', path: text }],
      ['grep', { pattern: text }],
      ['grep', { pattern: 'one', glob: text }],
      ['grep', { pattern: 'one', path: text }],
      ['bash', { command: 'true', cwd: text }],
    ] as const) {
      await place.call(tool, input);
    }
  }
  expect(place.outsideState()).toEqual(before);
  expect(readdirSync(place.root).filter((name) => name.includes('pwned') && !name.includes('touch'))).toEqual([]);
  expect(place.get('src/a.ts')).toBe('one\n');
  place.remove();
});
