/** The first thing that the command line does, before it loads anything else: what is secret in its environment is hidden. */
import { hideEnvironment, takeEnvironment } from '../../processes/environment';

takeEnvironment();
hideEnvironment();
