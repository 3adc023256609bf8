/** The excluded and pinned parts of a chat's requests: see `Conversation.partChoices`. */
import { parseJson } from '../support/json.ts';

/**
 * `custom`: the person's custom instructions at the end of the system message; `instructions`: an
 * instruction file; `result`: the result of a tool call; `option`: any other field.
 */
export type RequestPartKind =
  | 'tool'
  | 'system'
  | 'custom'
  | 'instructions'
  | 'attachment'
  | 'image'
  | 'summary'
  | 'message'
  | 'reply'
  | 'call'
  | 'result'
  | 'option';

/** `left-out`: excluded; `pinned`: sent even if older turns don't fit the context window. */
export type PartChoice = 'left-out' | 'pinned';

/** Choices by the keys of parts: see {@link partKey}. */
export type PartChoices = Readonly<Record<string, PartChoice>>;

/** Limits for the choices of one chat and the length of a key, beyond manual use. */
export const mostChoices = 1000;
export const longestPartKey = 2000;

/** Keys of the parts that can be excluded or pinned. They don't change between requests. */
export const partKey = {
  instructions: 'instructions',
  file: (path: string): string => `file:${path}`,
  tool: (name: string): string => `tool:${name}`,
  attachment: (id: string): string => `attachment:${id}`,
  /** A message with its whole reply. */
  turn: (id: string): string => `turn:${id}`,
  /** The result of a call, whose id is unique only in its turn. */
  result: (turn: string, call: string): string => `result:${JSON.stringify([turn, call])}`,
} as const;

/**
 * Sets the choice for several parts.
 *
 * @param choice undefined removes the choice
 * @returns undefined if no choice remains; the same object if nothing changes
 */
export function changeChoices(
  choices: PartChoices | undefined,
  parts: readonly string[],
  choice: PartChoice | undefined,
): PartChoices | undefined {
  const changed = new Map(Object.entries(choices ?? {}));
  for (const part of parts) {
    if (choice === undefined) changed.delete(part);
    else if (part.length <= longestPartKey && (changed.has(part) || changed.size < mostChoices))
      changed.set(part, choice);
  }
  const isSame =
    changed.size === Object.keys(choices ?? {}).length &&
    [...changed].every(([part, made]) => choices?.[part] === made);
  if (isSame) return choices;
  return changed.size === 0 ? undefined : Object.fromEntries(changed);
}

/**
 * The key of the same part in a copy of the chat, whose turns, attachments and calls have other
 * ids.
 *
 * @param idFor maps an id; undefined for an id that the copy doesn't have
 * @returns undefined if the copy has no such part
 */
export function copiedPartKey(
  key: string,
  idFor: (id: string) => string | undefined,
): string | undefined {
  const kind = key.slice(0, key.indexOf(':') + 1);
  const suffix = key.slice(kind.length);
  if (kind === 'result:') {
    const ids = parseJson(suffix);
    const [turn, call] = Array.isArray(ids) ? ids.map((id) => idFor(String(id))) : [];
    return turn === undefined || call === undefined ? undefined : partKey.result(turn, call);
  }
  if (kind !== 'turn:' && kind !== 'attachment:') return key;
  const id = idFor(suffix);
  return id === undefined ? undefined : kind + id;
}
