/** A setting that cannot be used: one line that names it, its value, and what is allowed. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
