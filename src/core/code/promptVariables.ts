/** Places in a prompt file for what is only known when it is used, such as `${selection}`. */

/** A value that a person types. */
export interface PromptInput {
  readonly name: string;
  /** Shown in the empty field. */
  readonly placeholder: string;
}

/** What a prompt needs before it can be sent. */
export interface PromptVariables {
  readonly selection: boolean;
  readonly file: boolean;
  /** Each once, in the order of their first places. */
  readonly inputs: readonly PromptInput[];
}

/** The values by what is written for them. */
export interface PromptValues {
  readonly selection?: string;
  readonly file?: string;
  readonly inputs: ReadonlyMap<string, string>;
}

const variable = /\$\{(?:(selection|file)|input:([\w-]{1,50})(?::([^{}\n]{0,500}))?)\}/g;

/** The variables of a prompt. Anything else in braces is text. */
export function variablesOf(prompt: string): PromptVariables {
  const found = [...prompt.matchAll(variable)];
  const inputs = new Map<string, PromptInput>();
  for (const [, , name, placeholder = ''] of found) {
    const known = name === undefined ? undefined : inputs.get(name);
    if (name !== undefined && (known === undefined || known.placeholder === ''))
      inputs.set(name, { name, placeholder });
  }
  const has = (editor: string): boolean => found.some(([, name]) => name === editor);
  return { selection: has('selection'), file: has('file'), inputs: [...inputs.values()] };
}

/** Puts values in. What looks like a variable in one of them is text; one without a value stays. */
export function fillVariables(prompt: string, values: PromptValues): string {
  return prompt.replace(variable, (written, editor?: string, input?: string) => {
    if (editor === 'selection') return values.selection ?? written;
    if (editor === 'file') return values.file ?? written;
    return values.inputs.get(input ?? '') ?? written;
  });
}
