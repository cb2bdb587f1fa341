/** The official SDK of OpenAI, an optional package: loaded when a provider is made. */
import { optionalPackage } from '../../optional-package';

export const sdk = () => optionalPackage<typeof import('openai')>('openai', 'A model of OpenAI, or one that speaks its API,');
