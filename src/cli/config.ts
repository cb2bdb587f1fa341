/** `holdfast config`: lists every setting with its value and source. */
import type { Command } from 'commander';
import { loadConfig } from '../config';
import { explainSettings, type SettingView } from '../config/explain';
import { unknownSettings } from '../config/files';
import type { Output } from './support/output';
import { settingsFile } from './support/settings-file';

export function config(program: Command, output: () => Output): void {
  program
    .command('config')
    .description('Every setting: its value, and where that comes from. Secrets are not shown.')
    .option('--set', 'only what is set')
    .option('--markdown', 'the reference of all settings instead')
    .action(async ({ set = false, markdown = false }: { set?: boolean; markdown?: boolean }) => {
      if (markdown) {
        const { configurationPage } = await import('../config/explain.js');
        const page = configurationPage();
        output().answer({ page }, page.trimEnd().split('\n'));
        return;
      }
      const all = explainSettings(process.env, settingsFile());
      const settings = set ? all.filter(({ source }) => source !== 'default') : all;
      const unknown = unknownSettings(process.env);
      const lines = [
        ...[...new Set(settings.map(({ group }) => group))].flatMap((group, n) => [
          ...(n === 0 ? [] : ['']),
          group,
          ...settings.filter((setting) => setting.group === group).map(lineOf),
        ]),
        ...(settings.length === 0 ? ['Nothing is set: defaults hold everywhere.'] : []),
        ...unknown.map(
          ({ name, meant }) => `! ${name} is no setting, and is not read${meant === null ? '.' : `; is it ${meant}?`}`,
        ),
      ];
      output().answer({ settings, unknown }, lines);
      // Faults of a value, or of two values together, are reported after all settings were shown.
      loadConfig();
    });
}

const SOURCES = { environment: 'set', config: 'config', file: 'file', profile: 'profile', stack: 'stack', default: '' };

function lineOf({ name, value, source, file, secret, unset }: SettingView): string {
  const text = secret ? 'not shown' : (value ?? unset ?? '');
  const valueAndSource = file === undefined ? text : `${text}, from ${file}`;
  return `  ${SOURCES[source].padEnd(8)} ${name.padEnd(36)} ${valueAndSource}`.trimEnd();
}
