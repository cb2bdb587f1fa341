/** `create-holdfast`: reads the arguments, asks at a terminal for what they leave out, makes the project, and says what to do next. */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ask } from './ask.js';
import { createProject, TEMPLATES, UsageError } from './project.js';

const HELP = `Usage: npm create holdfast@latest [folder] -- [options]

Makes a project for holdfast in a new folder. At a terminal it asks for what is left out.

  --template NAME   ${Object.entries(TEMPLATES)
    .map(([name, { about }]) => `${name}: ${about}`)
    .join('\n                    ')}
  --install         runs npm install in the folder
  --help            prints this
`;

/** @returns {Promise<number>} the exit code: 0 done, 1 npm install failed, 2 bad usage */
export async function main(args, { stdin, stdout, stderr } = process) {
  try {
    const { values, positionals } = read(args);
    if (values.help) {
      stdout.write(HELP);
      return 0;
    }
    if (positionals.length > 1) throw new UsageError(`One folder is enough: ${positionals.join(', ')}.`);
    const wanted = { folder: positionals[0], template: values.template };
    const isComplete = wanted.folder !== undefined && wanted.template !== undefined;
    const { folder, template } = isComplete || !stdin.isTTY ? wanted : await ask(wanted, { stdin, stdout });
    createProject(folder, template);
    if (values.install && !install(folder)) {
      stderr.write(`create-holdfast: npm install failed in ${folder}; the files are there.\n`);
      return 1;
    }
    stdout.write(nextSteps(folder, template, values.install));
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    stderr.write(`create-holdfast: ${error.message}\n`);
    return 2;
  }
}

function read(args) {
  const options = { template: { type: 'string' }, install: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };
  try {
    return parseArgs({ args, options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(`${error.message.split('. ')[0]}; --help lists the options.`);
  }
}

function install(cwd) {
  // Windows has npm as a script, which only a shell starts.
  return spawnSync('npm', ['install'], { cwd, stdio: 'inherit', shell: process.platform === 'win32' }).status === 0;
}

function nextSteps(folder, template, isInstalled) {
  const enter = /[^\w./-]/.test(folder) ? `cd "${folder}"` : `cd ${folder}`;
  return `
Made ${folder} from the template ${template}. Next:

  ${isInstalled ? enter : `${enter} && npm install`}
  npm run dev          # Temporal, a worker, and the page for approvers; Ctrl-C ends all of it
  npm run service      # in another terminal: ${TEMPLATES[template].service}

README.md in the folder goes on from there.
`;
}
