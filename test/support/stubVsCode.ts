import { registerHooks } from 'node:module';
import { vscodeStub } from './vscodeStub.ts';

/** Importing this module makes `vscode` a stub outside VS Code. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode' && /\/src\/host\//.test(context.parentURL ?? '')
      ? { url: vscodeStub, shortCircuit: true }
      : next(specifier, context),
});
