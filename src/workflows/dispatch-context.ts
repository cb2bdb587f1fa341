/** What dispatch works with, put together: the desk knows the turn through what it is given here. */
import type { TurnContext } from '../shared/activity-io';
import { noteHash } from '../shared/decision';
import { checkDecision, notify } from './activities';
import { Arrivals } from './arrivals';
import { Desk, type Check } from './desk';
import type { Dispatch } from './dispatch-types';
import { now } from './now';
import type { Question } from './question';
import { isBounded } from './is-bounded';
import type { TurnData } from './state';
import { hasRoom, type Words } from './said';
import { Forwarding } from './sub-turns';
import { showState } from './turn-face';
import { Work } from './work';

/** @param resumes whether the turn goes on from another run */
export function dispatchContext(
  turn: TurnContext,
  data: TurnData,
  { resumes, onQuestion = () => undefined }: { resumes: boolean; onQuestion?: Dispatch['onQuestion'] },
): Dispatch {
  const work = new Work();
  const check: Check = ({ digest, tool }, { decision, outcome, attestation, inputHash, note }) => {
    const noted = note === null ? {} : { note_hash: noteHash(note) };
    const said = { turn, decision, outcome, digest, tool, attestation, input_hash: inputHash, ...noted };
    return work.during(() => checkDecision({ ...said, at: now() }));
  };
  const tell = (question: Question, reminder: boolean): void => {
    if (!reminder) onQuestion(question);
    if (!reminder && !question.policy.notify) return;
    const kind = question.kind === 'doubt' ? 'in_doubt' : reminder ? 'reminder' : 'approval';
    const { call_id, tool, digest } = question;
    const card =
      question.kind === 'approval'
        ? { card_ref: question.card_ref, expires_at: question.expires_at }
        : { card_ref: null, card: question.card, expires_at: null };
    const told = work.during(() => notify({ turn, kind, call_id, tool, digest, ...card, at: now() }));
    told.catch(() => undefined); // the worker's log says it; the question is open all the same
  };
  const fits = (words: Words[], answers: number) => hasRoom(data, words, answers) || !isBounded();
  const desk: Desk = new Desk({ work, requester: turn.requester, onChange: () => showState(data, desk), check, fits, tell });
  return { turn, data, desk, work, arrivals: new Arrivals(resumes), forwarding: new Forwarding(turn, data, work), onQuestion };
}
