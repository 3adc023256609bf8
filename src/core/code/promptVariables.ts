/** Placeholders in a prompt file, such as `${selection}`, whose values are known only on use. */

/** A value that a person types. */
export interface PromptInput {
  readonly name: string;
  /** Shown in the empty field. */
  readonly placeholder: string;
}

/** Values that a prompt needs before it can be sent. */
export interface PromptVariables {
  readonly selection: boolean;
  readonly file: boolean;
  /** Each input once, in the order of their first occurrences. */
  readonly inputs: readonly PromptInput[];
}

export interface PromptValues {
  readonly selection?: string;
  readonly file?: string;
  readonly inputs: ReadonlyMap<string, string>;
}

const variable = /\$\{(?:(selection|file)|input:([\w-]{1,50})(?::([^{}\n]{0,500}))?)\}/g;

/** The variables of a prompt. Other text in braces is unchanged. */
export function variablesOf(prompt: string): PromptVariables {
  const matches = [...prompt.matchAll(variable)];
  const inputs = new Map<string, PromptInput>();
  for (const [, , name, placeholder = ''] of matches) {
    const known = name === undefined ? undefined : inputs.get(name);
    if (name !== undefined && (known === undefined || known.placeholder === ''))
      inputs.set(name, { name, placeholder });
  }
  const has = (editor: string): boolean => matches.some(([, name]) => name === editor);
  return { selection: has('selection'), file: has('file'), inputs: [...inputs.values()] };
}

/** Inserts values. A variable inside a value is text; a variable without a value stays. */
export function fillVariables(prompt: string, values: PromptValues): string {
  return prompt.replace(variable, (written, editor?: string, input?: string) => {
    if (editor === 'selection') return values.selection ?? written;
    if (editor === 'file') return values.file ?? written;
    return values.inputs.get(input ?? '') ?? written;
  });
}
