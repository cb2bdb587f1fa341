import { errorMessage } from '../../../src/shared/text/error-message';

test('an error has its message, anything else its text', () => {
  expect(errorMessage(new TypeError('no such file'))).toBe('no such file');
  expect(errorMessage('stopped')).toBe('stopped');
  expect(errorMessage(undefined)).toBe('undefined');
  expect(errorMessage(Symbol('gone'))).toBe('Symbol(gone)');
});
