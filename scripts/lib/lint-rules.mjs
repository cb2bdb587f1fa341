/** Our own lint rule, `holdfast/imports`, as a plugin of oxlint. */
import { dirname, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importFault } from './rooms.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Reports imports that the table in rooms.mjs forbids. */
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

export default { meta: { name: 'holdfast' }, rules: { imports } };
