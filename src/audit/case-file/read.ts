/** Reads a bundle as a case file. It reads as far as it can, and does not look for faults: the verifier does that. */
import { asJson, type Json, type JsonObject } from '../../shared/json/json';
import type { BundleBody, BundleLine, EndBody, Redaction, RunBody, TurnBody, TurnEndBody } from '../format/lines';
import { BrokenLine, readLines, type Chunks } from '../format/reader';
import { number, object, objectOrNull, text, textOrNull } from '../../record/fields';
import { toolsOfOutsiders } from './outsiders';
import { TurnBuilder } from './turn';
import { type Signatures } from './signatures';
import type { CaseFile } from './types';

/** Characters: the reader holds at most this many of all parts together, and no part that is larger than `LARGEST_PART`. */
const MAX_HELD_CHARS = 192 * 1024 * 1024;
const LARGEST_PART = 16 * 1024 * 1024;

/**
 * Reads the file in one pass. If it breaks off, or has an unreadable line, the case file holds what comes before.
 * @param signatures the verifier's finding for each signature; none: nothing was checked
 */
export async function readCaseFile(chunks: Chunks, signatures: Signatures = new Map()): Promise<CaseFile> {
  const reading = new Reading(signatures);
  try {
    for await (const line of readLines(chunks)) reading.take(line);
  } catch (error) {
    if (!(error instanceof BrokenLine)) throw error;
    reading.file.fault = { n: error.n, reason: error.message };
  }
  return reading.close();
}

class Reading {
  readonly file: CaseFile = {
    bundle: null,
    turns: [],
    objects: new Map(),
    end: null,
    fault: null,
    leftOut: { parts: 0, payloads: 0, tooLarge: 0 },
  };
  private readonly parts = new Map<string, Json>();
  private heldChars = 0;
  private turn: TurnBuilder | null = null;

  constructor(private readonly signatures: Signatures) {}

  take(line: BundleLine): void {
    switch (line.kind) {
      case 'bundle':
        this.file.bundle = bundleBody(object(asJson(line.body)));
        break;
      case 'object':
        this.file.objects.set(text(line.body.ref), line.body.value ?? null);
        break;
      case 'turn':
        this.closeTurn(null);
        this.turn = new TurnBuilder(
          turnBody(object(asJson(line.body))),
          this.parts,
          this.signatures,
          toolsOfOutsiders(this.file.objects),
        );
        break;
      case 'run':
        this.turn?.run({ run_id: text(line.body.run_id), began: text(line.body.began) as RunBody['began'] });
        break;
      case 'event':
        this.turn?.history.event(object(line.body.event));
        break;
      case 'session':
        this.turn?.history.ofSession(object(line.body.event));
        break;
      case 'part':
        this.hold(line.body.ref, line.body.part);
        break;
      case 'block':
        this.turn?.block(line.body);
        break;
      case 'effect':
        this.turn?.effect(object(line.body.record));
        break;
      case 'turn_end':
        this.closeTurn(turnEndBody(object(asJson(line.body))));
        break;
      case 'end':
        this.file.end = endBody(object(asJson(line.body)));
        break;
      case 'receipt': // about the file, not in it: the verifier reads it
        break;
    }
  }

  close(): CaseFile {
    this.closeTurn(null);
    return this.file;
  }

  private hold(ref: string, part: { body: Json } | null): void {
    if (part === null) {
      this.file.leftOut.parts += 1;
      return;
    }
    const body = object(asJson(part)).body ?? null;
    const size = JSON.stringify(body).length;
    if (size > LARGEST_PART || this.heldChars + size > MAX_HELD_CHARS) {
      this.file.leftOut.tooLarge += 1;
      return;
    }
    this.heldChars += size;
    this.parts.set(ref, body);
  }

  private closeTurn(end: Parameters<TurnBuilder['build']>[0]): void {
    if (!this.turn) return;
    const turn = this.turn.build(end);
    this.file.leftOut.payloads += this.turn.history.leftOut;
    this.file.turns.push(turn);
    this.turn = null;
  }
}

function bundleBody(body: JsonObject): BundleBody {
  const subject = object(body.subject);
  const by = object(body.made_by);
  return {
    v: text(body.v) as BundleBody['v'],
    subject: { kind: text(subject.kind) as BundleBody['subject']['kind'], id: text(subject.id) },
    namespace: text(body.namespace),
    agent: text(body.agent),
    ...(body.chained === undefined ? {} : { tenant: textOrNull(body.tenant), chained: body.chained === true }),
    made_at: text(body.made_at),
    made_by: { holdfast: text(by.holdfast), node: text(by.node) },
  };
}

function turnBody(body: JsonObject): TurnBody {
  const parent = objectOrNull(body.parent);
  return {
    turn_id: text(body.turn_id),
    workflow_id: text(body.workflow_id),
    first_execution_run_id: text(body.first_execution_run_id),
    parent: parent && { turn_id: text(parent.turn_id), call_id: text(parent.call_id) },
  };
}

function turnEndBody(body: JsonObject): TurnEndBody {
  return {
    turn_id: text(body.turn_id),
    head: textOrNull(body.head),
    complete: body.complete === true,
    why: textOrNull(body.why),
  };
}

function endBody(body: JsonObject): EndBody {
  const previous = objectOrNull(body.previous);
  return {
    root: text(body.root),
    lines: number(body.lines),
    complete: body.complete === true,
    previous: previous && { root: text(previous.root), subject: text(previous.subject) },
    redaction: redaction(objectOrNull(body.redaction)),
    kid: text(body.kid),
    public: text(body.public),
    signature: text(body.signature),
  };
}

function redaction(body: JsonObject | null): Redaction | null {
  if (body === null) return null;
  const of = object(body.of);
  return {
    of: { root: text(of.root), kid: text(of.kid), signature: text(of.signature) },
    parts: number(body.parts),
    payloads: number(body.payloads),
    reason: textOrNull(body.reason) ?? '',
  };
}
