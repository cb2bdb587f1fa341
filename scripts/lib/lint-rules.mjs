/** Our own lint rules, `holdfast/imports` and `holdfast/no-module-state`, as a plugin of oxlint. */
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFault } from './rooms.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Imports go one way: the table is in rooms.mjs. */
const imports = {
  create(context) {
    const file = relative(root, context.filename).split(sep).join('/');
    const look = (node) => {
      if (typeof node.source?.value !== 'string') return;
      const message = importFault(file, node.source.value, {
        typesOnly: isTypeOnly(node),
        dynamic: node.type === 'ImportExpression',
      });
      if (message) context.report({ node, message });
    };
    return { ImportDeclaration: look, ExportNamedDeclaration: look, ExportAllDeclaration: look, ImportExpression: look };
  },
};

function isTypeOnly({ importKind, exportKind, specifiers }) {
  if (importKind === 'type' || exportKind === 'type') return true;
  const kinds = (specifiers ?? []).map((one) => one.importKind ?? one.exportKind);
  return kinds.length > 0 && kinds.every((kind) => kind === 'type');
}

/** Variables of a module, and collections that it begins empty. A `WeakMap` is none: it holds nothing that its key does not. */
const noModuleState = {
  create(context) {
    const message = 'A module of this room keeps no state: hand it over, or say in a comment why one in a process is right.';
    const look = (node) => {
      const keeps = node.kind === 'let' || node.declarations.some(({ init }) => isEmptyCollection(init));
      if (keeps) context.report({ node, message });
    };
    return {
      'Program > VariableDeclaration': look,
      'Program > ExportNamedDeclaration > VariableDeclaration': look,
    };
  },
};

function isEmptyCollection(value) {
  if (value?.type === 'ArrayExpression') return value.elements.length === 0;
  return value?.type === 'NewExpression' && ['Map', 'Set'].includes(value.callee.name) && value.arguments.length === 0;
}

export default { meta: { name: 'holdfast' }, rules: { imports, 'no-module-state': noModuleState } };
