/** Texts that `work` passes to `JSON.parse`, as a measure of work that needs no clock. */
export function parsedBy(work: () => void): readonly string[] {
  const { parse } = JSON;
  const texts: string[] = [];
  JSON.parse = (text, reviver) => {
    texts.push(text);
    const value: unknown = parse(text, reviver);
    return value;
  };
  try {
    work();
  } finally {
    JSON.parse = parse;
  }
  return texts;
}
