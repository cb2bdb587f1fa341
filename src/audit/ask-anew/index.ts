/** Asks a recorded turn anew with another model or prompt, its calls answered from the record. */
export { askAnew, turnToAsk, type Anew } from './ask-anew';
export { recordedQuestion } from './recorded-question';
export { askedAnewView } from './view';
export { CannotAskError, type AnewCall, type AnewRequest, type AskedAnew, type AskedModel, type PaidAnswer } from './types';
