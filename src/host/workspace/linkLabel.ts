import { trimEndOf } from '../../core/support/text.ts';

/** The top-level domains of countries. */
const countries = new Set(
  'ac ad ae af ag ai al am ao aq ar as at au aw ax az ba bb bd be bf bg bh bi bj bm bn bo br bs bt bv bw by bz ca cc cd cf cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm do dz ec ee eg er es et eu fi fj fk fm fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu id ie il im in io iq ir is it je jm jo jp ke kg kh ki km kn kp kr kw ky kz la lb lc li lk lr ls lt lu lv ly ma mc md me mg mh mk ml mm mn mo mp mq mr ms mt mu mv mw mx my mz na nc ne nf ng ni nl no np nr nu nz om pa pe pf pg ph pk pl pm pn pr ps pt pw py qa re ro rs ru rw sa sb sc sd se sg sh si sj sk sl sm sn so sr ss st su sv sx sy sz tc td tf tg th tj tk tl tm tn to tr tt tv tw tz ua ug uk us uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw'.split(
    ' ',
  ),
);

/** Other top-level domains that people know as such. */
const generic = new Set(
  'academy agency app arpa asia bank bar bet bio biz blog build business buzz cam camp capital care careers cash casino center chat church city click clinic cloud club codes coffee com community company computer consulting contact coop cool country credit dance data date dev digital direct directory download earth edu education email energy engineer engineering enterprises events exchange expert express farm fashion finance financial fit foo foundation fun fund fyi gallery game games gay global gmbh gold google gov graphics green group guide guru health help host hosting house how inc info ing ink institute int international international invalid investments jobs land law lawyer legal life link live loan local localhost ltd market marketing mba media meme men mil mobi moe money monster mov movie museum name net network new news ninja nyc onion one online org page partners party pay phd photo photography photos pics pink pizza place plus poker press pro productions prof property pub quest racing realty recipes red rentals repair report rest review reviews rip rocks run sale school science security services sex shop show site skin social software solar solutions space store stream studio style support surf systems team tech technology tel test theater tips tips today tools top town toys trade training travel university uno vacations ventures video vip vision vodka vote wang watch web website wedding wiki win wine work works world wtf xxx xyz yoga zip zone'.split(
    ' ',
  ),
);

/** Top-level domains that are also file extensions. */
const extensions = new Set('cc in md mk ml mm mov pl pm ps py rs sh so tf zip'.split(' '));

/** Names of products that look like hosts. */
const products = /^(?:asp|ado|vb|ml)\.net$/;

/** Characters that change the display order of text, so that it can't be known how it reads. */
const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/**
 * True if the text of a link reads as an address with another host than the link has. Ignores invisible
 * characters, look-alikes of dots and slashes, and words around the address.
 */
export function namesAnotherHost(label: string, url: URL): boolean {
  if (directions.test(label)) return true;
  const words = plainText(label).split(/[\s"'`´‘’“”«»‹›<>⟨⟩()[\]{}|,;!=~*→←•…–—]+/u);
  return words.flatMap(withoutAffixes).some((word) => isOtherAddress(word, url));
}

/** The word without punctuation around it, and without a prefix that ends with a colon: "see:a.com". */
function withoutAffixes(word: string): readonly string[] {
  const bare = word.slice(0, maxWord).replace(/^[_\-+·:]+|[_\-+·:]+$/g, '');
  const colon = /^[\p{L}\p{N}_-]+:(?!\/\/|\d+(?:\/|$))/u.exec(bare)?.[0];
  return colon === undefined ? [bare] : [bare, bare.slice(colon.length)];
}

/** The most characters of a word that are examined: a label is short. */
const maxWord = 2000;

/** The text as a reader perceives it. */
function plainText(label: string): string {
  return label
    .normalize('NFKC')
    .replace(/[\p{Default_Ignorable_Code_Point}\p{Cf}]/gu, '')
    .replace(/[\u3002\uff61]/g, '.')
    .replace(/[\u2044\u2215\u2571\u29f8\\]/g, '/')
    .replace(/%2f/gi, '/')
    .replace(/[\ua789\u2236\ufe55]/g, ':')
    .toLowerCase();
}

function isOtherAddress(word: string, url: URL): boolean {
  const scheme = /^[a-z][a-z\d+.-]+:(?=\/)|^https?:/.exec(word)?.[0] ?? '';
  const withoutScheme = word.slice(scheme.length).replace(/^\/+/, '');
  const isMarked = scheme !== '' || word.startsWith('//') || withoutScheme.startsWith('www.');
  const authority = withoutScheme.split(/[/?#]/, 1)[0] ?? '';
  // The part before the @ may read as a host, but isn't one.
  const named = authority.includes('@') ? undefined : hostOf(authority);
  if (isMarked) return authority !== '' && named !== hostOf(url.host);
  if (authority.includes('@')) return authority.split('@').some((part) => isHost(part, url));
  return isHost(authority, url) && named !== hostOf(url.host);
}

/** True if a word without a scheme reads as the name or the IP address of a host. */
function isHost(word: string, url: URL): boolean {
  const name = trimEndOf(word.replace(/:[^:]*$/, ''), '.');
  if (/^(?:localhost|\d{1,3}(?:\.\d{1,3}){3})$/.test(name)) return true;
  if (!/^[\p{L}\p{N}\p{M}_-]+(?:\.[\p{L}\p{N}\p{M}_-]+)+$/u.test(name) || products.test(name)) {
    return false;
  }
  const domain = name.slice(name.lastIndexOf('.') + 1);
  // "main.rs" is a file if the address ends with it.
  if (extensions.has(domain) && decodedPath(url).endsWith(`/${name}`)) return false;
  return countries.has(domain) || generic.has(domain) || /^xn--|[^\p{ASCII}]/u.test(domain);
}

function decodedPath({ pathname }: URL): string {
  try {
    return decodeURIComponent(pathname).toLowerCase();
  } catch {
    return pathname.toLowerCase();
  }
}

/** The host as browsers write it, without parts that make no difference. */
function hostOf(authority: string): string | undefined {
  const host = URL.parse(`https://${authority}`)?.host;
  return host
    ?.replace(/:80$/, '')
    .replace(/(?<!\.)\.+(?=$|:)/, '')
    .replace(/^www\./, '');
}
