export const OUR_TASK_QUEUE = 'ours';
export const NAIVE_TASK_QUEUE = 'naive';
export const EMPTY_TASK_QUEUE = 'empty';
