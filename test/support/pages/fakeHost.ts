/**
 * Stands in for VS Code in a page: it runs there, before the scripts of the page. It fulfills every
 * request, or refuses it where the page has a global `refusal`, and has one small image for all that
 * are asked for.
 */
export function startFakeHost(): void {
  const answer = (data: unknown): void => {
    window.dispatchEvent(new MessageEvent('message', { data }));
  };
  const picture = (): string => {
    const canvas = document.createElement('canvas');
    canvas.width = 96;
    canvas.height = 64;
    const context = canvas.getContext('2d');
    if (context === null) return '';
    context.fillStyle = 'teal';
    context.fillRect(0, 0, 96, 64);
    return canvas.toDataURL();
  };
  const hear = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('type' in message)) return;
    if (message.type === 'ready') Object.assign(globalThis, { isReady: true });
    if (message.type !== 'request' || !('id' in message)) return;
    const request: unknown = 'request' in message ? message.request : undefined;
    if (typeof request === 'object' && request !== null && 'hash' in request)
      answer({ type: 'image', hash: request.hash, url: picture() });
    const refusal: unknown = Reflect.get(globalThis, 'refusal');
    answer({ type: 'settled', id: message.id, refusal });
  };
  const api = {
    postMessage: (message: unknown): void => queueMicrotask(() => hear(message)),
    getState: (): unknown => undefined,
    setState: (): void => undefined,
  };
  Object.assign(globalThis, { acquireVsCodeApi: () => api });
}
