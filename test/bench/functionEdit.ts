/** An edit of one function, line by line. */
export interface FunctionEdit {
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Reply of a model that requests the edit. */
  readonly answer: string;
}

const head = 'export function sum(total: number, compute: (value: number) => number): number {';

/**
 * A function of `length` lines. The edit changes every tenth line, and inserts a line after every
 * fiftieth. Every seventh line is a duplicate, as brackets often are.
 */
export function functionEdit(length: number): FunctionEdit {
  const body = Array.from({ length: length - 3 }, (_, index) =>
    index % 7 === 6 ? '  total *= 2;' : `  total += compute(${index});`,
  );
  const before = [head, ...body, '  return total;', '}'];
  const after = before.flatMap((line, index) => {
    const changed = index % 10 === 3 ? `${line} // changed` : line;
    return index % 50 === 0 ? [changed, `  total -= compute(${index});`] : [changed];
  });
  return { before, after, answer: `Here it is:\n\n\`\`\`ts\n${after.join('\n')}\n\`\`\`\n` };
}
