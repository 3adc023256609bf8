/** What to do with a link of a reply. */
export type LinkVerdict =
  | { readonly type: 'refuse' }
  /** Open it; VS Code asks in its own words where it does not trust the host. */
  | { readonly type: 'open'; readonly address: string }
  /** Ask first, showing the whole address: it may carry data away, or look like another one. */
  | { readonly type: 'ask'; readonly address: string };

/** Longer queries and fragments are long enough to carry something away. */
const longestTail = 40;

/** Judges a link that a model wrote, by its address and by the text that names it. */
export function judgeLink(href: string, label: string): LinkVerdict {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:')) {
    return { type: 'refuse' };
  }
  if (url.username !== '' || url.password !== '') return { type: 'ask', address: url.href };
  const carries = url.search.length + url.hash.length > longestTail;
  const foreign = url.hostname.split('.').some((part) => part.startsWith('xn--'));
  const misnamed = namesAnotherAddress(label, url);
  return { type: carries || foreign || misnamed ? 'ask' : 'open', address: url.href };
}

/** Whether the text of the link reads as an address with another host than the link has. */
function namesAnotherAddress(label: string, url: URL): boolean {
  const text = label.trim();
  const looksLikeAddress = /^(https?:\/\/|www\.)\S+$|^[\w-]+(\.[\w-]+)+(\/\S*)?$/iu.test(text);
  if (!looksLikeAddress) return false;
  const named = URL.parse(/^https?:/i.test(text) ? text : `https://${text}`);
  if (named === null) return false;
  // "app.ts" reads like a host name; only what ends like one is taken for it.
  if (
    !/^https?:|^www\./i.test(text) &&
    !/\.(com|org|net|io|dev|app|gov|edu|co|ai)(\/|$)/i.test(text)
  ) {
    return false;
  }
  return named.host !== url.host;
}
