/** An independent implementation that applies a unified diff. */
export function patch(before: string, diff: string): string {
  const old = before.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const result: string[] = [];
  let line = 0;
  let last: string[] = [];
  for (const row of diff.match(/[^\n]*\n/g) ?? []) {
    const head = /^@@ -(\d+),(\d+) \+\d+,\d+ @@/.exec(row);
    if (head !== null) {
      const start = Number(head[1]) - (head[2] === '0' ? 0 : 1);
      result.push(...old.slice(line, start));
      line = start;
    } else if (row.startsWith('\\')) last.push((last.pop() ?? '').replace(/\n$/, ''));
    else {
      const text = row.slice(1);
      last = row.startsWith('-') ? [] : result;
      if (!row.startsWith('+')) line++;
      if (!row.startsWith('-')) result.push(text);
    }
  }
  return [...result, ...old.slice(line)].join('');
}
