/** Hides the secrets in the command line's environment, before anything else is loaded. */
import { hideEnvironment, takeEnvironment } from '../../processes/environment';

takeEnvironment();
hideEnvironment();
