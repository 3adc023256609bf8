/** The code of keys that an input method handles. Safari tells only by it that Enter was one. */
const handledByInputMethod = 229;

/** Enter as a wish to send: not a new line (Shift), and not the choice of an input method. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  if (event.isComposing || Reflect.get(event, 'keyCode') === handledByInputMethod) return false;
  return event.key === 'Enter' && !event.shiftKey && !event.altKey;
}
