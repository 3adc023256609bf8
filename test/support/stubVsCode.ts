import { registerHooks } from 'node:module';
import { vscodeStub } from './vscodeStub.ts';

/** Importing this gives the modules of the host a `vscode` that does nothing, outside VS Code. */
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode' && /\/src\/host\//.test(context.parentURL ?? '')
      ? { url: vscodeStub, shortCircuit: true }
      : next(specifier, context),
});
