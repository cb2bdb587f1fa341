export const OUR_TASK_QUEUE = 'ours';
export const EMPTY_TASK_QUEUE = 'empty';
