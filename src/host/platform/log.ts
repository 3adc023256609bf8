import { ServiceError } from '../../core/service/errors.ts';
import { chainOf, codeOf } from '../../core/service/retry.ts';
import { background, type reportTo } from '../../core/support/background.ts';
import type { Redactor } from '../../core/support/redact.ts';

/** The part of `vscode.LogOutputChannel` that Aside writes to. */
export interface LogSink {
  info(line: string): void;
  warn(line: string): void;
  error(line: string): void;
  show(): void;
}

export interface ErrorLog {
  /** @param what the failed action, for example `Reading the model list` */
  error(what: string, error: unknown): void;
}

type Level = 'info' | 'warn' | 'error';

/**
 * The log. Every line passes the redactor, and headers and bodies are never logged, so that a
 * person can paste the log into a bug report. Lines wait until the redactor knows all stored keys.
 */
export class Log implements ErrorLog {
  readonly #sink: LogSink;
  readonly #redactor: Redactor;
  /** Waiting lines in order; undefined when lines no longer wait. */
  #waiting: (readonly [level: Level, line: string])[] | undefined = [];

  /** @param learned resolves when the redactor knows all keys */
  constructor(sink: LogSink, redactor: Redactor, learned: Promise<void>) {
    this.#sink = sink;
    this.#redactor = redactor;
    background(
      learned.finally(() => {
        const waiting = this.#waiting ?? [];
        this.#waiting = undefined;
        for (const [level, line] of waiting) this.#write(level, line);
      }),
    );
  }

  info(line: string): void {
    this.#write('info', line);
  }

  warn(line: string): void {
    this.#write('warn', line);
  }

  error(what: string, error: unknown): void {
    this.#write('error', `${what}: ${describeError(error)}`);
  }

  /** Collects the errors of work in the background of a script, each of which has its own. */
  collect(reportIn: typeof reportTo): void {
    reportIn((error) => this.error('In the background', error));
  }

  show(): void {
    this.#sink.show();
  }

  #write(level: Level, line: string): void {
    if (this.#waiting === undefined) this.#sink[level](this.#redactor.redactError(line));
    else this.#waiting.push([level, line]);
  }
}

/**
 * Formats an error for the log, without the service's message, which may quote the conversation.
 */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `a thrown ${typeof error}`;
  const [first, ...causes] = chainOf(error).map(describeOne);
  const stack = error instanceof ServiceError ? '' : `\n${framesOf(error)}`;
  return [first, ...causes.map((cause) => `caused by ${cause}`)].join('; ') + stack;
}

function describeOne(error: Error): string {
  if (!(error instanceof ServiceError)) {
    // These quote the text that could not be parsed.
    const message = error.name === 'SyntaxError' || error.name === '$ZodError' ? '' : error.message;
    return [error.name, codeOf(error), message].filter((part) => part !== '').join(' ');
  }
  const { host, status, code, requestId: request, retryAfter } = error;
  const facts = Object.entries({ host, status, code, request, retryAfter });
  const details = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`${name} ${value}`],
  );
  return [error.kind, ...details].join(', ');
}

/** The stack without its first lines, which repeat the message. */
function framesOf(error: Error): string {
  const lines = error.stack?.split('\n') ?? [];
  return lines.filter((line) => /^\s+at /.test(line)).join('\n');
}
