import { cpus } from 'node:os';
import type { Row } from './row.ts';

/** Export `bench` of a benchmark file. Measures, and adds rows as they are complete. */
export type Bench = (table: Table) => Promise<void>;

/** The table of a run, printed row by row. */
export class Table {
  readonly #rows: Row[] = [];
  readonly #versions = new Set([`Node ${process.version.slice(1)}`]);
  readonly #write: (line: string) => void;
  readonly #commit: string | undefined;
  /** True if VS Code is measured on a slower processor. */
  readonly isSlow: boolean;
  /** Folder of recorded streams, if there is one. */
  readonly recordings: string | undefined;

  /** @param options `commit` is the measured one, which documents name */
  constructor(
    write: (line: string) => void,
    options: {
      readonly commit?: string | undefined;
      readonly isSlow?: boolean;
      readonly recordings?: string | undefined;
    } = {},
  ) {
    this.#write = write;
    this.#commit = options.commit;
    this.isSlow = options.isSlow ?? false;
    this.recordings = options.recordings;
  }

  /** Adds a program or package with its version to the footer. */
  names(...versions: readonly string[]): void {
    for (const version of versions) this.#versions.add(version);
  }

  add(row: Row): void {
    if (this.#rows.length === 0) for (const line of head) this.#write(line);
    this.#rows.push(row);
    this.#write(line(row));
  }

  get missed(): readonly Row[] {
    return this.#rows.filter((row) => !row.isReached);
  }

  /** Explanations of missed goals, and the machine, below the rows. */
  foot(): string[] {
    const notes = this.missed.filter((row) => row.note !== '');
    const processor = cpus()[0]?.model ?? 'unknown processor';
    const machine = `${processor}, ${cpus().length} cores, ${process.platform}`;
    const commit = this.#commit === undefined ? '' : ` at commit ${this.#commit}`;
    return [
      '',
      ...notes.map((row) => `- ${row.name}: ${row.note}`),
      ...(notes.length === 0 ? [] : ['']),
      `Measured${commit} on ${machine}, with ${[...this.#versions].join(', ')}.`,
    ];
  }

  /** The complete table as Markdown. */
  lines(): string[] {
    return [...head, ...this.#rows.map(line), ...this.foot()];
  }

  /** Rows that compare with programs people use instead, and rows that miss their goals. */
  linesOfRivals(): string[] {
    const rows = this.#rows.filter(({ against, isReached }) => isRival(against) || !isReached);
    return [...head, ...rows.map(line)];
  }
}

/** True if a row compares with a program people use, not with the minimum possible. */
export function isRival(against: string): boolean {
  return /openai package|streamdown|react-markdown|incremark|markstream|streaming-markdown|ripgrep|VS Code's own chat/.test(
    against,
  );
}

const head = [
  '| what | against | ours | theirs | figure | goal | |',
  '|---|---|--:|--:|--:|--:|---|',
];

function line({ name, against, ours, theirs, figure, goal, isReached }: Row): string {
  const verdict = goal === '' ? '' : isReached ? '✓' : 'missed';
  return `| ${[name, against, ours, theirs, `**${figure}**`, goal, verdict].join(' | ')} |`;
}
