/** Renders Stryker's report as text: each change that no test noticed, and the share of noticed changes for each file. */

const NOTICED = ['Killed', 'Timeout'];
const UNNOTICED = ['Survived', 'NoCoverage'];

/**
 * @param {{files: Record<string, {source: string, mutants: object[]}>}} report mutation-testing-report-schema
 * @returns {string}
 */
export function mutationReport({ files }) {
  const names = Object.keys(files).sort();
  const rows = names.map((name) => [name, ...counts(files[name].mutants)]);
  const all = ['all', ...counts(names.flatMap((name) => files[name].mutants))];
  return [
    ...names.flatMap((name) => survivors(name, files[name])),
    '| file | mutants | noticed | not noticed | not run | share |',
    '|---|---|---|---|---|---|',
    ...[...rows, all].map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
}

function counts(mutants) {
  const count = (...states) => mutants.filter(({ status }) => states.includes(status)).length;
  const [noticed, unnoticed] = [count(...NOTICED), count(...UNNOTICED)];
  const share = noticed + unnoticed === 0 ? '–' : `${((100 * noticed) / (noticed + unnoticed)).toFixed(1)} %`;
  return [noticed + unnoticed, noticed, count('Survived'), count('NoCoverage'), share];
}

function survivors(name, { source, mutants }) {
  const lines = source.split('\n');
  return mutants
    .filter(({ status }) => UNNOTICED.includes(status))
    .sort((a, b) => a.location.start.line - b.location.start.line || a.location.start.column - b.location.start.column)
    .map(({ status, mutatorName, replacement = '', location: { start, end } }) => {
      const was = start.line === end.line ? lines[start.line - 1].slice(start.column - 1, end.column - 1) : '…';
      const no = status === 'NoCoverage' ? ' (no test runs it)' : '';
      return `${name}:${start.line}:${start.column} ${mutatorName}${no}: ${oneLine(was)} → ${oneLine(replacement)}`;
    });
}

function oneLine(text) {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 100 ? `${line.slice(0, 99)}…` : line;
}
