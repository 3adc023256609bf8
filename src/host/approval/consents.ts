import * as z from 'zod/mini';
import type { Dialogs } from '../platform/dialogs.ts';
import type { Memento } from '../platform/memento.ts';

/** Lifetime of consents by kind: permanent in their workspace, or until the window closes. */
const lifetimes = {
  offer: 'stored',
  instructions: 'stored',
  skill: 'stored',
  attachment: 'window',
  caller: 'window',
} as const;
export type ConsentKind = keyof typeof lifetimes;

/** The most consents of a kind in a workspace; the oldest are dropped first. */
export const mostConsents = 500;

export interface ConsentSubject {
  readonly kind: ConsentKind;
  /** Displayed path of a file, or another name of the subject. */
  readonly path: string;
  /** The hash of the content, so that another content is another subject; empty if any content is. */
  readonly hash: string;
  /** True for the user's own file, which is the same in every workspace. */
  readonly isOwn?: boolean | undefined;
}

const consent = z.object({
  path: z.string(),
  hash: z.string(),
  isAllowed: z.boolean(),
  /** The text that the person allowed, if a preview of a later one shows the difference. */
  text: z.optional(z.string()),
});
export type Consent = z.infer<typeof consent>;
const record = z.object({ version: z.literal(1), consents: z.array(consent) });

export interface ConsentQuestion {
  readonly message: string;
  readonly detail: string;
  readonly yes: string;
  /** The button that refuses, and closes the dialog for good. Without it, closing means no for now. */
  readonly no?: string;
  /** Another button, which shows what the question is about. Only with `no`. */
  readonly preview?: ConsentPreview | undefined;
  /** True if closing the dialog is a lasting no. */
  readonly isClosingNo?: boolean;
}

export interface ConsentPreview {
  readonly button: string;
  /** Resolves when the person is ready to answer. */
  readonly show: () => Promise<unknown>;
}

/** What the person decided about a file that instructs the model. */
export interface ConsentDecision {
  /** Undefined if the person hasn't decided, or the file has changed since it was allowed. */
  readonly isAllowed: boolean | undefined;
  /** True if another content was allowed before. */
  readonly hasChanged: boolean;
  /** That content, if it was stored. */
  readonly allowedText: string | undefined;
}

/**
 * The law for instruction files and skills: what is allowed is exactly the content that was asked
 * about, so a changed file is asked about again. A refused file stays refused, whatever it says later.
 */
export function decisionAbout(
  { path, hash }: Pick<ConsentSubject, 'path' | 'hash'>,
  consents: readonly Consent[],
): ConsentDecision {
  const known = consents.find((consent) => consent.path === path);
  const hasChanged = known?.isAllowed === true && known.hash !== hash;
  const allowedText = hasChanged ? known.text : undefined;
  return { isAllowed: hasChanged ? undefined : known?.isAllowed, hasChanged, allowedText };
}

/**
 * Everything about files and callers that the person allowed or refused, except grants of tools,
 * which expire and are counted. Stored in VS Code's state, which no repository and no tool can
 * write.
 */
export class Consents {
  readonly #state: Memento;
  readonly #workspace: () => Promise<string>;
  readonly #dialogs: Dialogs;
  readonly #ofWindow = new Map<ConsentKind, readonly Consent[]>();
  /** Open dialogs by subject, so that nothing is asked twice at the same time. */
  readonly #open = new Map<string, Promise<boolean | undefined>>();

  /**
   * @param workspace identity of this workspace; empty if there is none, so that its consents end
   *   with the window
   */
  constructor(state: Memento, workspace: () => Promise<string>, dialogs: Dialogs) {
    this.#state = state;
    this.#workspace = workspace;
    this.#dialogs = dialogs;
  }

  /** The consents of a kind, oldest first. */
  async list(kind: ConsentKind, isOwn = false): Promise<readonly Consent[]> {
    const key = await this.#keyOf(kind, isOwn);
    if (key === undefined) return this.#ofWindow.get(kind) ?? [];
    return record.safeParse(this.#state.get(key)).data?.consents ?? [];
  }

  /** The stored choice about this content; undefined if there is none. */
  async known(subject: ConsentSubject): Promise<boolean | undefined> {
    const consents = await this.list(subject.kind, subject.isOwn);
    return consents.find(({ path, hash }) => path === subject.path && hash === subject.hash)
      ?.isAllowed;
  }

  /** The choice about this content. Asks if there is none. Undefined if the person cancels. */
  allows(subject: ConsentSubject, question: ConsentQuestion): Promise<boolean | undefined> {
    const key = JSON.stringify([subject.kind, subject.isOwn, subject.path, subject.hash]);
    const open =
      this.#open.get(key) ??
      this.known(subject)
        .then((known) => known ?? this.ask(subject, question))
        .finally(() => this.#open.delete(key));
    this.#open.set(key, open);
    return open;
  }

  /**
   * Asks even if there is a decision, and stores the answer.
   * @param text the text that the person sees, to be stored with it
   */
  async ask(
    subject: ConsentSubject,
    question: ConsentQuestion,
    text?: string,
  ): Promise<boolean | undefined> {
    const answer = await this.answer(question);
    const { no, isClosingNo = false } = question;
    const choice = answer ?? (isClosingNo ? false : undefined);
    const isLasting = choice === true || no !== undefined || isClosingNo;
    if (choice !== undefined && isLasting) await this.set(subject, choice, text);
    return choice;
  }

  /** Asks, and stores nothing. Undefined if the person cancels. */
  async answer(question: ConsentQuestion): Promise<boolean | undefined> {
    const { message, detail, yes, no, preview } = question;
    if (no === undefined) return this.#dialogs.confirm(message, detail, yes);
    if (preview === undefined) return this.#dialogs.decide(message, detail, yes, no);
    // The first button has the focus.
    const buttons = [no, preview.button, yes];
    for (;;) {
      const answer = await this.#dialogs.choose({ message, detail, buttons });
      if (answer !== preview.button) return answer === undefined ? undefined : answer === yes;
      await preview.show();
    }
  }

  /** Stores a decision in the place of an earlier one about the same path. */
  async set(
    { kind, isOwn, path, hash }: ConsentSubject,
    isAllowed: boolean,
    text?: string,
  ): Promise<void> {
    const key = await this.#keyOf(kind, isOwn);
    const others = (await this.list(kind, isOwn)).filter((other) => other.path !== path);
    const consents = [...others, { path, hash, isAllowed, text }].slice(-mostConsents);
    if (key === undefined) this.#ofWindow.set(kind, consents);
    else await this.#state.update(key, { version: 1, consents });
  }

  /** Storage key of consents; undefined if they end with the window. */
  async #keyOf(kind: ConsentKind, isOwn = false): Promise<string | undefined> {
    if (lifetimes[kind] === 'window') return undefined;
    // Quoted, so that no workspace can have the same key as the user's own files.
    const scope = isOwn ? 'own' : JSON.stringify(await this.#workspace());
    return scope === '""' ? undefined : `aside.consents ${kind} ${scope}`;
  }
}
