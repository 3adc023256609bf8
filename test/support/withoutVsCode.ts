import { registerHooks } from 'node:module';
import { vscodeStub } from './vscodeStub.ts';

/**
 * Loads modules that import `vscode` outside VS Code, for parts that don't need it: names,
 * descriptions and schemas. The hook is active only while `load` runs, so other imports of `vscode`
 * still fail.
 */
export async function withoutVsCode<Loaded>(load: () => Promise<Loaded>): Promise<Loaded> {
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'vscode' ? { url: vscodeStub, shortCircuit: true } : next(specifier, context),
  });
  try {
    return await load();
  } finally {
    hooks.deregister();
  }
}
