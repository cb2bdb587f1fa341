/** The tables of facts that stand twice: each field says where else it stands, which rule looks at it, or why it stands nowhere else. What is found: doubled.test.ts. */
import { SUBJECTS, type Table } from '../../../../src/audit/verify/doubled';
import * as doubled from '../../../../src/audit/verify/doubled';
import * as below from '../../../../src/audit/verify/doubled-below';
import * as ofDecisions from '../../../../src/audit/verify/doubled-decisions';
import * as ofRuns from '../../../../src/audit/verify/doubled-runs';
import * as ofTurn from '../../../../src/audit/verify/doubled-turn';

const TABLES = [doubled, below, ofDecisions, ofRuns, ofTurn].flatMap((module) =>
  Object.entries(module).filter((one): one is [string, Table] => !Array.isArray(one[1])),
);
const FORMS = [
  new RegExp(`^(${SUBJECTS.join('|')})\\.\\w+$`),
  new RegExp(`^names\\.(${SUBJECTS.join('|')})$`),
  /^rule\.[HBTDS]\d{1,2}$/,
  /^once\.\S.*\S$/,
];

test.each(TABLES)('%s: each entry has one of the forms', (_name, table) => {
  const other = Object.entries(table).filter(([, place]) => !FORMS.some((form) => form.test(place)));
  expect(other).toEqual([]);
  expect(Object.keys(table).length).toBeGreaterThan(0);
});

test('subjects are those that something is said of', () => {
  const places = TABLES.flatMap(([, table]) => Object.values(table));
  expect(SUBJECTS.filter((subject) => !places.some((place) => place.startsWith(`${subject}.`)))).toEqual([]);
  expect(SUBJECTS.filter((subject) => subject.length < 3)).toEqual([]);
  expect(SUBJECTS.length).toBeGreaterThan(10);
});
