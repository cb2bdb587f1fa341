/** The activities, as workflows call them. */
import type { CallbackInput } from '../wire/callback';
import type { BeginFiringInput, BeginFiringOutput, EndFiringInput, EndFiringOutput } from '../schedule';
import type { SubTurnReport } from '../turn/sub-turn';
import type { AdmitCallInput, AdmitCallOutput, AdmitDirectInput, AdmitDirectOutput } from './admission';
import type {
  CompleteCallInput,
  CompleteCallOutput,
  InspectEffectInput,
  InspectEffectOutput,
  ReconcileEffectInput,
  ReconcileEffectOutput,
  SettleEffectInput,
  RunCallInput,
  RunCallOutput,
} from './call';
import type {
  CheckAnswerInput,
  CheckAnswerOutput,
  CheckDecisionInput,
  CheckDecisionOutput,
  CheckSteerInput,
  CheckSteerOutput,
  CloseQuestionInput,
  KeepSaidInput,
  KeepSaidOutput,
  NotifyInput,
  ReadCardInput,
  ReadCardOutput,
  ReadSaidInput,
  ReadSaidOutput,
  WaitForUnfreezeInput,
} from './people';
import type {
  BeginSessionInput,
  BeginSessionOutput,
  CheckForkInput,
  CheckForkOutput,
  LookAtTurnInput,
  LookAtTurnOutput,
  CompactInput,
  CompactOutput,
  EndTurnInput,
  EndTurnOutput,
  TakeStepInput,
  TakeStepOutput,
} from './step';
import type {
  CloseSubTurnInput,
  ForwardDecisionInput,
  ForwardDecisionOutput,
  LookAtSubTurnInput,
  OpenSubTurnInput,
  OpenSubTurnOutput,
} from './sub-turns';

export interface Activities {
  takeStep(input: TakeStepInput): Promise<TakeStepOutput>;
  admitCall(input: AdmitCallInput): Promise<AdmitCallOutput>;
  runCall(input: RunCallInput): Promise<RunCallOutput>;
  inspectEffect(input: InspectEffectInput): Promise<InspectEffectOutput>;
  settleEffect(input: SettleEffectInput): Promise<RunCallOutput>;
  reconcileEffect(input: ReconcileEffectInput): Promise<ReconcileEffectOutput>;
  completeCall(input: CompleteCallInput): Promise<CompleteCallOutput>;
  checkDecision(input: CheckDecisionInput): Promise<CheckDecisionOutput>;
  checkAnswer(input: CheckAnswerInput): Promise<CheckAnswerOutput>;
  closeQuestion(input: CloseQuestionInput): Promise<void>;
  waitForUnfreeze(input: WaitForUnfreezeInput): Promise<void>;
  checkSteer(input: CheckSteerInput): Promise<CheckSteerOutput>;
  notify(input: NotifyInput): Promise<void>;
  readCard(input: ReadCardInput): Promise<ReadCardOutput>;
  keepSaid(input: KeepSaidInput): Promise<KeepSaidOutput>;
  readSaid(input: ReadSaidInput): Promise<ReadSaidOutput>;
  openSubTurn(input: OpenSubTurnInput): Promise<OpenSubTurnOutput>;
  lookAtSubTurn(input: LookAtSubTurnInput): Promise<SubTurnReport>;
  closeSubTurn(input: CloseSubTurnInput): Promise<RunCallOutput>;
  forwardDecision(input: ForwardDecisionInput): Promise<ForwardDecisionOutput>;
  endTurn(input: EndTurnInput): Promise<EndTurnOutput>;
  deliverCallback(input: CallbackInput): Promise<void>;
  admitDirect(input: AdmitDirectInput): Promise<AdmitDirectOutput>;
  compact(input: CompactInput): Promise<CompactOutput>;
  lookAtTurn(input: LookAtTurnInput): Promise<LookAtTurnOutput>;
  beginSession(input: BeginSessionInput): Promise<BeginSessionOutput>;
  checkFork(input: CheckForkInput): Promise<CheckForkOutput>;
  beginFiring(input: BeginFiringInput): Promise<BeginFiringOutput>;
  endFiring(input: EndFiringInput): Promise<EndFiringOutput>;
}

/**
 * Inputs and outputs of the turn workflow's activities. All of them land in Temporal's history, so they stay small: references, and
 * values of at most 2 KB beside them.
 */
export * from './turn';
export * from './call';
export * from './step';
export * from './admission';
export * from './people';
export * from './sub-turns';
