/** Reads the histories of a file: each run of a bundle, or one history as JSON (`temporal workflow show --output json`). */
import { createReadStream } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { isJsonObject, type Json, type JsonObject } from '../../shared/json/json';
import { parseJson } from '../../shared/json/parse-json';
import type { BundleLine } from '../format/lines';
import { readLines } from '../format/reader';
import type { Replayable } from './replay';
import { errorMessage } from '../../shared/text/error-message';

/** Temporal ends a run at about 51,200 events and 50 MB. */
const MOST_EVENTS = 60_000;
const MOST_BYTES = 128 * 1024 * 1024;

/** Neither a bundle nor a history. */
export class NotReplayable extends Error {
  override readonly name = 'NotReplayable';
}

/**
 * @throws NotReplayable
 * @throws BrokenLine if a line of a bundle cannot be read
 * @throws Error for a file that cannot be opened
 */
export async function* historiesOf(path: string): AsyncGenerator<Replayable> {
  if (await isBundle(path)) yield* historiesOfBundle(readLines(createReadStream(path)));
  else yield await historyOfJson(path);
}

/** The first line of a bundle is in canonical form, so its body comes first. */
async function isBundle(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(16), 0, 16, 0);
    return buffer.subarray(0, bytesRead).toString('utf8').startsWith('{"body":');
  } finally {
    await file.close();
  }
}

async function* historiesOfBundle(lines: AsyncIterable<BundleLine>): AsyncGenerator<Replayable> {
  let workflow_id = '';
  let run: Run | null = null;
  for await (const { kind, body } of lines) {
    if (kind === 'event') {
      run?.add(body.event);
      continue;
    }
    if (run) yield run.replayable();
    run = null;
    if (kind === 'turn') workflow_id = body.workflow_id;
    if (kind === 'run') run = new Run(workflow_id, body.run_id);
  }
  if (run) yield run.replayable();
}

/** One run of a workflow, as far as it has been read. */
class Run {
  private readonly events: JsonObject[] = [];
  private bytes = 0;
  private cannot: string | null = null;

  constructor(
    private readonly workflow_id: string,
    private readonly run_id: string | null,
  ) {}

  add(event: JsonObject): void {
    if (this.cannot !== null) return;
    this.bytes += JSON.stringify(event).length;
    if (leftOut(event))
      this.refuse(`Event ${shortId(event)} was redacted: a payload was left out, and without it nothing can be replayed.`);
    else if (this.events.length >= MOST_EVENTS || this.bytes > MOST_BYTES)
      this.refuse(
        `The run has more than ${MOST_EVENTS} events, or ${MOST_BYTES / 1024 / 1024} MB of them: Temporal writes no such history.`,
      );
    else this.events.push(event);
  }

  replayable(): Replayable {
    const about = { workflow_id: this.workflow_id, run_id: this.run_id };
    if (this.cannot !== null) return { ...about, cannot: this.cannot };
    if (this.events.length === 0)
      return { ...about, cannot: 'The bundle has no events of this run: Temporal did not have them any longer.' };
    return { ...about, events: this.events };
  }

  private refuse(why: string): void {
    this.cannot = why;
    this.events.length = 0;
  }
}

async function historyOfJson(path: string): Promise<Replayable> {
  const wrong = (why: string) => new NotReplayable(`${path} is neither a bundle nor a history as JSON: ${why}.`);
  if ((await stat(path)).size > MOST_BYTES) throw wrong(`it has more than ${MOST_BYTES / 1024 / 1024} MB`);
  let json: Json;
  try {
    json = parseJson(await readFile(path, 'utf8'));
  } catch (error) {
    throw wrong(errorMessage(error));
  }
  const events = isJsonObject(json) && Array.isArray(json.events) ? json.events : [];
  if (events.length === 0 || !events.every(isJsonObject)) throw wrong('it has no list of events');
  const startAttributes = (events[0] as JsonObject).workflowExecutionStartedEventAttributes;
  const workflowId = startAttributes !== undefined && isJsonObject(startAttributes) ? startAttributes.workflowId : undefined;
  const run = new Run(typeof workflowId === 'string' ? workflowId : 'turn/unknown', null);
  for (const event of events as JsonObject[]) run.add(event);
  return run.replayable();
}

/** Whether a payload, anywhere in it, is `{"redacted": true}`. */
function leftOut(value: Json, depth = 0): boolean {
  if (value === null || typeof value !== 'object' || depth > 100) return false;
  if (Array.isArray(value)) return value.some((one) => leftOut(one, depth + 1));
  return value.redacted === true || Object.values(value).some((one) => leftOut(one as Json, depth + 1));
}

function shortId({ eventId }: JsonObject): string {
  return String(eventId).slice(0, 12);
}
