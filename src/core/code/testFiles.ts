/** How a language names the file of tests, and the folders beside that hold them. */
interface TestPlaces {
  readonly names: (stem: string, extension: string) => readonly string[];
  readonly folders: readonly string[];
}

const script: TestPlaces = {
  names: (stem, extension) => [`${stem}.test.${extension}`, `${stem}.spec.${extension}`],
  folders: ['__tests__', 'test', 'tests'],
};

const places: Readonly<Record<string, TestPlaces>> = {
  typescript: script,
  typescriptreact: script,
  javascript: script,
  javascriptreact: script,
  python: { names: (stem) => [`test_${stem}.py`, `${stem}_test.py`], folders: ['tests', 'test'] },
  go: { names: (stem) => [`${stem}_test.go`], folders: [] },
  ruby: { names: (stem) => [`${stem}_spec.rb`, `${stem}_test.rb`], folders: ['spec', 'test'] },
};

/**
 * Where tests of a file may be, the likeliest first: beside it, in a folder of tests beside it, in
 * the folders of tests of the project. Empty for a language that keeps them elsewhere.
 *
 * @param path relative to the workspace folder
 */
export function testFileCandidates(path: string, language: string): readonly string[] {
  const place = places[language];
  if (place === undefined) return [];
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const [, stem = '', extension = ''] =
    /^(.*?)(?:\.([^.]*))?$/.exec(path.slice(folder.length)) ?? [];
  const inner = folder.replace(/^src\//, '');
  const folders = [
    folder,
    ...place.folders.map((one) => `${folder}${one}/`),
    ...place.folders.flatMap((one) => [`${one}/${inner}`, `${one}/`]),
  ];
  const names = place.names(stem, extension);
  return [...new Set(folders.flatMap((one) => names.map((name) => `${one}${name}`)))];
}
