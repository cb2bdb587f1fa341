/** The first module of the workflow bundle, evaluated once a worker, before the first workflow. */
import { type Realm, skipPromiseStacks } from './bundle-flags';

const realm: Realm = globalThis;
if (!realm.holdfastWorkflowStacks) skipPromiseStacks(realm);
