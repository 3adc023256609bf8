/** Modules that listen on a port or open connections without `fetch` (threats: T12, T40, T42). */
export const networkModules =
  'net tls http https http2 dgram dns dns/promises inspector cluster'.split(' ');

/** Names in code that sends data in another way, or receives it. */
export const outlets =
  /\b(?:XMLHttpRequest|WebSocket|EventSource|sendBeacon|RTCPeerConnection|WebTransport|importScripts|createServer|createTelemetryLogger|isTelemetryEnabled|onDidChangeTelemetryEnabled|sendTelemetryEvent|registerUriHandler|asExternalUri)\b/g;
