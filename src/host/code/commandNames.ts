/** The names of commands that are files. */

/** A name, and a prefix that makes it unique. */
interface Named {
  readonly name: string;
  readonly key: string;
}

/**
 * Makes names unique: the first file keeps its name, later ones get their key as a prefix. So no file
 * takes the name of one before it.
 *
 * @param reserved names of Aside's own commands
 */
export function withUniqueNames<T extends Named>(
  files: readonly T[],
  reserved: readonly string[],
): T[] {
  const usedNames = new Set(reserved);
  return files.map((file) => {
    const name = freeName(file, usedNames);
    usedNames.add(name);
    return { ...file, name };
  });
}

function freeName({ name, key }: Named, usedNames: ReadonlySet<string>): string {
  if (!usedNames.has(name)) return name;
  const full = `${key.trim().replace(/[^\p{L}\p{M}\p{N}_.]+/gu, '-')}:${name}`;
  let number = 2;
  let free = full;
  while (usedNames.has(free)) free = `${full}-${number++}`;
  return free;
}
