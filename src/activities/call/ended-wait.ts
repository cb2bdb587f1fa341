/** The result of a call of `wait_until`: how the wait ended, as the workflow says it, for the model and the record. */
import { Context } from '@temporalio/activity';
import type { RunCallOutput } from '../../shared/io/activities';
import { callError } from '../../shared/wire/errors';
import type { CallContext } from './call-context';
import { keep, metadataOf, refusal, success, withAfterHooks } from './run-once';

/** What the model is told beside what woke it; absent: nothing. */
const NOTES: Readonly<Record<string, string>> = {
  session: 'Somebody has written. The message is read when this turn has ended: end it soon. Until then no wait lasts.',
};

export async function endedWait(run: CallContext): Promise<RunCallOutput> {
  const began = Date.now();
  const { request, turn, tool } = run;
  const { waited, at, validation_ms = 0 } = request;
  if (waited === undefined)
    return refusal(run, callError('EXECUTION_ERROR', 'not_waited', 'The workflow of this turn is of a build that cannot wait.'));
  const { woke_by, until } = waited;
  const note = NOTES[woke_by];
  const data = { woke_by, at, until, ...(note === undefined ? {} : { note }) };
  const metadata = metadataOf(tool, turn, began, { validationMs: validation_ms });
  const part = await keep(run, await withAfterHooks(run, success(data, metadata)));
  const { attempt } = Context.current().info;
  return { ...part, state: 'succeeded', effect: null, error: null, attempts: attempt, took_ms: Date.now() - began, head: null };
}
