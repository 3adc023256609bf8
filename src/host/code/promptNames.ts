/** How the name of a prompt file ends. */
export const promptSuffix = '.prompt.md';

/** What has a name, and a key that tells where it comes from. */
interface Named {
  readonly name: string;
  readonly key: string;
}

/**
 * Gives each a name of its own: the first keeps it, later ones have their key in front.
 *
 * @param reserved names that none of them may take, so that no file stands in for a command of ours
 */
export function nameEach<T extends Named>(found: readonly T[], reserved: readonly string[]): T[] {
  const taken = new Set(reserved);
  return found.map((one) => {
    const name = freeName(one, taken);
    taken.add(name);
    return { ...one, name };
  });
}

function freeName({ name, key }: Named, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  const full = `${oneWord(key)}:${name}`;
  let number = 2;
  let free = full;
  while (taken.has(free)) free = `${full}-${number++}`;
  return free;
}

function oneWord(text: string): string {
  return text.trim().replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-');
}
