import { parseFragment, type DefaultTreeAdapterTypes } from 'parse5';
import { junitXml } from '../../../src/evals/junit';
import { runResult } from '../../support/evals';

type Element = DefaultTreeAdapterTypes.Element;

/** The elements of this name, with their attributes. */
function elements(xml: string, name: string): Record<string, string>[] {
  const all = (node: DefaultTreeAdapterTypes.ParentNode): Element[] =>
    node.childNodes.filter((child) => 'tagName' in child).flatMap((child) => [child, ...all(child)]);
  return all(parseFragment(xml))
    .filter(({ tagName }) => tagName === name)
    .map(({ attrs }) => Object.fromEntries(attrs.map((attribute) => [attribute.name, attribute.value])));
}

it('has a suite for each model, and a test case for each run', () => {
  const xml = junitXml([
    runResult(),
    runResult({ repetition: 2, faults: ['a', 'b'] }),
    runResult({ model: 'haiku', skipped: 'cost' }),
  ]);
  expect(elements(xml, 'testsuites')).toEqual([{ tests: '3', failures: '1', errors: '0', skipped: '1', time: '4.500' }]);
  expect(elements(xml, 'testsuite').map(({ name, tests }) => [name, tests])).toEqual([
    ['opus', '2'],
    ['haiku', '1'],
  ]);
  expect(elements(xml, 'testcase').map(({ name, classname }) => [classname, name])).toEqual([
    ['opus', 'pays #1'],
    ['opus', 'pays #2'],
    ['haiku', 'pays'],
  ]);
  expect(elements(xml, 'failure')).toEqual([{ message: 'a' }]);
});

it('keeps whatever a model wrote within the text', () => {
  const evil = '</failure>"<x a="1">&\u0000\u001b[31m\ud800\n]]>';
  const xml = junitXml([runResult({ case: evil, faults: [evil] })]);
  expect(xml).not.toMatch(/[\u0000\u001b\ud800]/);
  expect(elements(xml, 'x')).toEqual([]);
  expect(elements(xml, 'failure')[0]!.message).toBe('</failure>"<x a="1">&\ufffd\ufffd[31m\ufffd\n]]>');
});
