import { testConvention } from './testConventions.ts';

/** Where the tests of a file go, and whether there are some. */
export interface TestPlace {
  readonly path: string;
  readonly isThere: boolean;
}

/** Folders that hold sources, below which folders of tests look the same. */
const sources =
  /^(?:(.*?)\/)??(?:src\/main\/(?:java|kotlin)|src|lib|app|source|Sources)(?:\/(.*))?$/;

/**
 * Where a file's tests stand by the conventions of its language; undefined where none is known.
 *
 * @param path of the file, with `/`, relative to its workspace folder
 * @param language the editor's id
 */
export function testPaths(path: string, language: string): readonly string[] | undefined {
  const convention = testConvention(language);
  if (convention === undefined) return undefined;
  const { isTest, paths } = convention;
  if (paths.length === 0 || isTest.test(path)) return [path];
  const parts = partsOf(path);
  return [...new Set(paths.map((pattern) => fill(pattern, parts)))];
}

/**
 * The test file of a file: the first that is there; else the first whose folder is there, and so
 * the place where this project keeps its tests.
 *
 * @param exists tells whether a file, or a folder, with this path is there
 */
export async function findTestFile(
  path: string,
  language: string,
  exists: (path: string) => Promise<boolean>,
): Promise<TestPlace | undefined> {
  const paths = testPaths(path, language);
  const [first] = paths ?? [];
  if (paths === undefined || first === undefined) return undefined;
  for (const candidate of paths) {
    if (await exists(candidate)) return { path: candidate, isThere: true };
  }
  // A folder of its own for tests says more than the folder that the file is in.
  const apart = paths.filter((candidate) => folderOf(candidate) !== folderOf(path));
  for (const candidate of apart) {
    if (await exists(testRoot(candidate))) return { path: candidate, isThere: false };
  }
  return { path: first, isThere: false };
}

type Parts = Readonly<Record<'folder' | 'root' | 'below' | 'name' | 'type', string>>;

function partsOf(path: string): Parts {
  const folder = folderOf(path);
  const file = path.slice(path.lastIndexOf('/') + 1);
  const dot = file.lastIndexOf('.');
  const [found, root = '', below = ''] = sources.exec(folder) ?? [];
  return {
    folder,
    root,
    below: found === undefined ? folder : below,
    name: dot > 0 ? file.slice(0, dot) : file,
    type: dot > 0 ? file.slice(dot + 1) : '',
  };
}

/** Puts the parts into a pattern; parts that are empty leave no slash behind. */
function fill(pattern: string, parts: Parts): string {
  const filled = pattern.replace(
    /\{(folder|root|below|name|type)\}/g,
    (_, part: keyof Parts) => parts[part],
  );
  return filled.replace(/\/{2,}/g, '/').replace(/^\//, '');
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}

/** The folder of a test file that is there for tests. */
function testRoot(path: string): string {
  const found = /^(?:.*?\/)??(?:src\/test|__tests__|spec|[Tt]ests?)(?:\/[Uu]nit)?(?=\/)/.exec(path);
  return found?.[0] ?? folderOf(path);
}
