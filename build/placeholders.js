import * as z from 'zod';

const address = z.union([z.string(), z.object({ url: z.string() }).transform(({ url }) => url)]);
const manifestSchema = z.object({
  homepage: z.string().optional(),
  repository: address.optional(),
  bugs: address.optional(),
});

/**
 * The fields of a manifest whose addresses are only examples.
 *
 * @param {string} text the text of package.json
 */
export function placeholdersIn(text) {
  const addresses = manifestSchema.parse(JSON.parse(text));
  return Object.entries(addresses).flatMap(([name, url = '']) =>
    /^(?:git\+)?https?:\/\/(?:[\w-]+\.)*example\.(?:com|org|net)(?:\/|$)/.test(url) ? [name] : [],
  );
}
