/** Patches zod: calls through `core.util.NAME` would bundle every function of that module, a quarter of zod. */
import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

const throughCore = /\bcore\.util\./g;

export const leanZod: Plugin = {
  name: 'lean-zod',
  setup(build) {
    build.onLoad({ filter: /[\\/]zod[\\/]v4[\\/]mini[\\/]schemas\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      if (!text.includes('import * as util from') || text.search(throughCore) < 0)
        throw new Error(`${path} has changed.`);
      return { contents: text.replace(throughCore, 'util.') };
    });
  },
};
