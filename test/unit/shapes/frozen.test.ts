import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils';
import { checkShapes, type Checked } from '../../support/check-shapes';

const FOLDER = join(__dirname, '../../histories');

it('views and events of frozen histories fit their shapes, and have no other fields', async () => {
  const checked: Checked[] = [];
  for (const name of readdirSync(FOLDER).filter((file) => file.endsWith('.json')))
    checked.push(await checkShapes(historyFromJSON(JSON.parse(readFileSync(join(FOLDER, name), 'utf8')))));
  expect(checked.map(({ view }) => view)).toEqual(expect.arrayContaining(['turn', 'call', 'session']));
  expect([...new Set(checked.flatMap(({ events }) => events.map(({ type }) => type)))].sort()).toEqual([
    'approval_decided',
    'approval_requested',
    'call_completed',
    'call_pending',
    'question_answered',
    'question_asked',
    'step_completed',
    'step_started',
    'tool_result',
    'tool_started',
    'turn_completed',
    'turn_started',
  ]);
});
