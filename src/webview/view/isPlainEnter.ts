/** Enter as a wish to send: not a new line (Shift), and not the choice of an input method. */
export function isPlainEnter(event: KeyboardEvent): boolean {
  return event.key === 'Enter' && !event.shiftKey && !event.altKey && !event.isComposing;
}
