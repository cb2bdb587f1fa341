/** Makes the row of a waiting turn for a list: light cards, and who has decided so far. */
import type { Card } from '../../shapes/card';
import type { PendingRow, RowCall, RowCard } from '../../shapes/inbox';
import type { PendingTurn, Question } from '../../shapes/turn-view';
import { cutJson, type CutRoom } from '../../record/cut-json';
import type { Json } from '../../shared/json/json';

/** Characters of one field of a card, of one text in it, and of the note of a decision. */
const FIELD_ROOM = 800;
const TEXT_ROOM = 300;
const NOTE_ROOM = 200;
const MOST_ENTRIES = 10;

export function rowOf(turn: PendingTurn): PendingRow {
  return { ...turn, calls: turn.calls.map((call) => rowCall(call, turn.turn_id)) };
}

function rowCall({ card, approval, ...call }: Question, turnId: string): RowCall {
  const cutNote = (note: string | null) => cutJson(note, { left: NOTE_ROOM, text: NOTE_ROOM, entries: 0, cut: false });
  const decisions = approval.decisions?.slice(-MOST_ENTRIES).map((decision) => ({ ...decision, note: cutNote(decision.note) }));
  return { ...call, approval: { ...approval, note: cutNote(approval.note), decisions }, card: rowCard(card, turnId) };
}

function rowCard({ markdown: _, ...card }: Card, turnId: string): RowCard {
  let isCut = false;
  const short = Object.fromEntries(
    Object.entries(card).map(([name, value]) => {
      const room: CutRoom = { left: FIELD_ROOM, text: TEXT_ROOM, entries: MOST_ENTRIES, cut: false };
      const field = cutJson(value as Json | undefined, room);
      isCut ||= room.cut;
      return [name, field];
    }),
  ) as RowCard;
  if (!isCut) return short;
  const where = `Long fields are cut: GET /v1/turns/${encodeURIComponent(turnId)} has the whole card.`;
  return { ...short, incomplete: card.incomplete === undefined ? where : `${card.incomplete} ${where}` };
}
