import * as z from 'zod/mini';
import type { Event } from '../../core/support/event.ts';

/** Reports whether the Markdown preview renders diagrams, and when that changes. */
export interface DiagramSupport {
  current(): boolean;
  readonly onDidChange: Event<unknown>;
}

/** The extensions of the window, as VS Code lists them. */
interface Extensions {
  readonly all: readonly { readonly packageJSON: unknown }[];
  readonly onDidChange: Event<void>;
}

/** Searches the extensions on first use, and again after one was added or removed. */
export function findDiagramSupport(extensions: Extensions): DiagramSupport {
  let cached: { readonly count: number; readonly isSupported: boolean } | undefined;
  return {
    current() {
      const { all } = extensions;
      if (cached?.count !== all.length) {
        const isSupported = all.some(({ packageJSON }) => drawsDiagrams(packageJSON));
        cached = { count: all.length, isSupported };
      }
      return cached.isSupported;
    },
    onDidChange: extensions.onDidChange,
  };
}

/** The fields read from the `package.json` of an extension of the Markdown preview. */
const manifest = z.object({
  name: z.string(),
  description: z.optional(z.string()),
  keywords: z.optional(z.array(z.string())),
  contributes: z.object({
    'markdown.markdownItPlugins': z.optional(z.boolean()),
    'markdown.previewScripts': z.optional(z.array(z.unknown())),
  }),
});

/**
 * True if an extension extends the preview and mentions Mermaid: none declares that it renders
 * diagrams.
 */
function drawsDiagrams(packageJSON: unknown): boolean {
  const { success, data } = manifest.safeParse(packageJSON);
  if (!success) return false;
  const { name, description = '', keywords = [], contributes } = data;
  const extendsPreview =
    contributes['markdown.markdownItPlugins'] === true ||
    (contributes['markdown.previewScripts'] ?? []).length > 0;
  return extendsPreview && /mermaid/i.test([name, description, ...keywords].join(' '));
}
