/** Jest's answers to `../test-file.ts`, for each test file. */
import { endTestFile, nameTestsBy } from '../test-file';

nameTestsBy(() => expect.getState().currentTestName ?? '');
afterAll(endTestFile);
