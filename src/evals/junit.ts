/** Results as JUnit XML, which CI systems show: a suite for each model, a test case for each run. */
import type { RunResult } from './run-all';

export function junitXml(results: readonly RunResult[]): string {
  const models = [...new Set(results.map(({ model }) => model))];
  const suites = models.map((model) => [model, results.filter((one) => one.model === model)] as const);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts(results)}>`,
    ...suites.flatMap(([model, all]) => [
      `  <testsuite name="${xml(model)}" ${counts(all)}>`,
      ...all.flatMap((one) => testCase(one, all)),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n');
}

function counts(results: readonly RunResult[]): string {
  const failures = results.filter(({ faults }) => faults.length > 0).length;
  const skipped = results.filter((one) => one.skipped !== null).length;
  const ms = results.reduce((sum, { durationMs }) => sum + durationMs, 0);
  return `tests="${results.length}" failures="${failures}" errors="0" skipped="${skipped}" time="${seconds(ms)}"`;
}

function testCase(one: RunResult, all: readonly RunResult[]): string[] {
  const isRepeated = all.some((other) => other.case === one.case && other.repetition !== one.repetition);
  const name = isRepeated ? `${one.case} #${one.repetition}` : one.case;
  const head = `    <testcase classname="${xml(one.model)}" name="${xml(name)}" time="${seconds(one.durationMs)}"`;
  if (one.skipped !== null) return [`${head}>`, `      <skipped message="${xml(one.skipped)}"/>`, '    </testcase>'];
  if (one.faults.length === 0) return [`${head}/>`];
  const [first] = one.faults;
  return [`${head}>`, `      <failure message="${xml(first!)}">${xml(one.faults.join('\n'))}</failure>`, '    </testcase>'];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
  '\r': '&#13;',
};

/** XML has no form for other control characters, and none for half a character. */
function xml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"\n\t\r]/g, (character) => ENTITIES[character]!);
}
