/** Builds the context of call dispatch: questions, checks of decisions, and notifications. */
import type { TurnContext } from '../../shared/io/activities';
import { noteHash } from '../../shared/approval/decision';
import { optional } from '../../shared/json/optional';
import { checkAnswer, checkDecision, notify } from '../activities';
import { Arrivals, Completions, InFlight } from '../sandbox/signals';
import { ApprovalQuestions, type Check, type CheckAnswer, type Occasion } from '../approvals/approval-questions';
import type { Dispatch } from './dispatch-types';
import { now } from '../sandbox/time';
import type { Question } from '../approvals/question';
import { isBounded } from '../turn/state-limits';
import type { TurnData } from '../turn/state';
import { hasRoom, type Statement } from '../approvals/room-for-decisions';
import { Forwarding } from '../sub-agents/sub-turns';
import { showState } from '../turn/publish-turn-state';

/** Of what people are notified when a question opens. */
const NOTICES = { approval: 'approval', doubt: 'in_doubt', question: 'question' } as const satisfies Record<
  Question['kind'],
  string
>;

/** @param resumes whether this run continues an earlier one */
export function dispatchContext(
  turn: TurnContext,
  data: TurnData,
  { resumes, onQuestion = () => undefined }: { resumes: boolean; onQuestion?: Dispatch['onQuestion'] },
): Dispatch {
  const inFlight = new InFlight();
  const check: Check = ({ digest, tool }, { decision, outcome, attestation, inputHash, note, roles }) => {
    const noteFields = note === null ? {} : { note_hash: noteHash(note) };
    const claim = {
      turn,
      decision,
      outcome,
      digest,
      tool,
      attestation,
      input_hash: inputHash,
      ...noteFields,
      ...optional({ roles }),
    };
    return inFlight.during(() => checkDecision({ ...claim, at: now() }));
  };
  const answerCheck: CheckAnswer = ({ digest, tool }, answer) =>
    inFlight.during(() => checkAnswer({ turn, digest, tool, ...answer, at: now() }));
  const tell = (question: Question, occasion: Occasion): void => {
    if (occasion === 'asked') onQuestion(question);
    if (occasion === 'asked' && !question.policy.notify) return;
    const kind = occasion === 'asked' || question.kind === 'doubt' ? NOTICES[question.kind] : occasion;
    const { call_id, tool, digest } = question;
    const card =
      question.kind === 'doubt'
        ? { card_ref: null, card: question.card, expires_at: null }
        : { card_ref: question.card_ref, expires_at: question.expires_at };
    const head = data.head === null ? {} : { head: data.head };
    const notice = inFlight.during(() => notify({ turn, kind, call_id, tool, digest, ...head, ...card, at: now() }));
    notice.catch(() => undefined); // the worker logs a failure; the question stays open
  };
  const fits = (words: Statement[], answers: number) => hasRoom(data, words, answers) || !isBounded();
  const questions: ApprovalQuestions = new ApprovalQuestions({
    inFlight,
    requester: turn.requester,
    onChange: () => showState(data, questions),
    check,
    checkAnswer: answerCheck,
    fits,
    tell,
  });
  return {
    turn,
    data,
    questions,
    inFlight,
    arrivals: new Arrivals(resumes),
    completions: new Completions(data, inFlight),
    forwarding: new Forwarding(turn, data, inFlight),
    onQuestion,
  };
}
