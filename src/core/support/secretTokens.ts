import { fnvHash } from './text.ts';

/** A secret in a text, and its prefix that stays visible. */
interface Secret {
  readonly start: number;
  readonly end: number;
  readonly visiblePrefix: string;
  readonly id: string;
}

/** The first line of a private key. */
const keyHead =
  /-----BEGIN (?:[A-Z\d]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----|\bPrivate-Lines: {0,3}\d{1,4}/g;
/** The line after a private key; the second form is PuTTY's. */
const keyEnd = /-----END |\bPrivate-MAC:/;

/** The name of a well-known kind of secret that the text seems to contain. */
export function findSecretToken(text: string): string | undefined {
  if (text.search(keyHead) >= 0) return 'private key';
  return secretShapes.find((shape) => secretsOf(text, shape).length > 0)?.kind;
}

/** A text whose secrets were replaced by masks. */
export interface MaskedText {
  readonly text: string;
  readonly secrets: ReadonlyMap<string, MaskedSecret>;
  /** True if a mask may stand for several secrets, so that none can be restored. */
  readonly isAmbiguous: boolean;
}

/** A secret, and its prefix that stays visible before the mask. */
interface MaskedSecret {
  readonly secret: string;
  readonly visiblePrefix: string;
}

/**
 * Replaces text that looks like a secret with a mask, on the same line and without changing the
 * number of lines: `ghp_‹masked 1a2b3c›`. Equal secrets get equal masks in every text.
 */
export function maskSecrets(text: string): MaskedText {
  const tokens = secretShapes.flatMap((shape) => secretsOf(text, shape));
  const matches = [...tokens, ...keyBlocks(text)];
  const inOrder = matches.toSorted((first, second) => first.start - second.start);
  const literal = new Set(masksIn(text));
  const secrets = new Map<string, MaskedSecret>();
  let isAmbiguous = false;
  const parts: string[] = [];
  let position = 0;
  for (const { start, end, visiblePrefix: prefix, id } of inOrder) {
    if (end <= position) continue;
    const from = Math.max(start, position);
    const entry = { secret: text.slice(from, end), visiblePrefix: from === start ? prefix : '' };
    const other = secrets.get(id) ?? entry;
    isAmbiguous ||= other.secret !== entry.secret || other.visiblePrefix !== entry.visiblePrefix;
    isAmbiguous ||= literal.has(maskOf(id));
    secrets.set(id, entry);
    parts.push(text.slice(position, from), entry.visiblePrefix, maskOf(id));
    position = end;
  }
  const masked = parts.join('') + text.slice(position);
  return { text: masked, secrets, isAmbiguous };
}

function maskOf(id: string): string {
  return `‹masked ${id}›`;
}

const anyMask = /‹masked ([0-9a-f]{6}(?:\.\d{1,4})?)›/g;

/** The masks in a text. */
export function masksIn(text: string): readonly string[] {
  return text.includes('‹masked ') ? (text.match(anyMask) ?? []) : [];
}

/** Represents a secret in a searched text; nobody searches for this character. */
export const secretStandIn = '\u{10ffff}';

/** A line of a diff that is a whole line of base64, as long as those of keys. */
const wholeKeyLine =
  /^[+\- ]?[\s"'`]{0,20}([A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{12})?)(?:\\[rn]){0,2}["'`,;)\s+\\]{0,8}$/;

/**
 * Masks a diff, in which the first line of a private key may be missing: also whole lines that look
 * like those of one, and the shorter line after them.
 */
export function maskDiff(diff: string): string {
  const { text } = maskSecrets(diff);
  let isInside = false;
  return text
    .split('\n')
    .map((line) => {
      const [, run] = wholeKeyLine.exec(line) ?? [];
      const isLast = isInside && looksLikeKeyLine(line.slice(1));
      isInside = run !== undefined && /[a-z]/.test(run) && /[A-Z]/.test(run) && /\d/.test(run);
      return isInside || isLast ? line.replace(/[A-Za-z0-9+/=]{4,}/, mask) : line;
    })
    .join('\n');
}

function mask(secret: string): string {
  return maskOf(hashOf(secret));
}

/** A masked text with one character instead of each mask, for searching. */
export function withStandIns(masked: string): string {
  return masked.includes('‹masked ') ? masked.replace(anyMask, secretStandIn) : masked;
}

/** Each line of a text up to the start of its first secret. */
export function linesBeforeSecrets(lines: readonly string[]): readonly string[] {
  const masked = maskSecrets(lines.join('\n')).text.split('\n');
  return lines.map((line, index) => {
    const maskedLine = masked[index] ?? '';
    if (maskedLine === line) return line;
    let end = 0;
    while (end < line.length && line[end] === maskedLine[end]) end++;
    return line.slice(0, end);
  });
}

/** Replaces masks with their secrets. */
export function unmaskSecrets(text: string, { secrets }: MaskedText): string {
  const parts: string[] = [];
  let position = 0;
  for (const { 0: mask, 1: id = '', index } of text.matchAll(anyMask)) {
    const before = text.slice(position, index);
    const known = secrets.get(id);
    const isWhole = known !== undefined && before.endsWith(known.visiblePrefix);
    parts.push(isWhole ? before.slice(0, before.length - known.visiblePrefix.length) : before);
    parts.push(isWhole ? known.secret : mask);
    position = index + mask.length;
  }
  return parts.join('') + text.slice(position);
}

function secretsOf(text: string, { literals, pattern, isSecret }: SecretShape): readonly Secret[] {
  if (!literals.some((literal) => text.includes(literal))) return [];
  return [...text.matchAll(pattern)].flatMap(({ 0: secret, 1: prefix = '', index }) =>
    isSecret?.(secret) === false
      ? []
      : [{ start: index, end: index + secret.length, visiblePrefix: prefix, id: hashOf(secret) }],
  );
}

/** Length of the longest private key, in characters, including line prefixes. */
const maxKeyLength = 30_000;

/** Prefix that tools write before the lines of a file: a number, and the sign of a diff. */
const lineNumber = /^\s{0,8}\d{1,7}[\t:-]/;

/** The base64 of private keys between their first and last line, or up to the end of a cut key. */
function keyBlocks(text: string): readonly Secret[] {
  if (!/PRIVATE KEY|Private-Lines/.test(text)) return [];
  const heads = [...text.matchAll(keyHead)];
  return heads.flatMap(({ 0: head, index }, key) => {
    const start = index + head.length;
    const next = heads[key + 1]?.index ?? text.length;
    const body = text.slice(start, Math.min(next, start + maxKeyLength));
    const end = body.search(keyEnd);
    const runs: { readonly secret: string; readonly start: number }[] = [];
    let offset = start;
    const lines = body.slice(0, end < 0 ? undefined : end).split('\n');
    for (const [at, line] of lines.entries()) {
      const number = lineNumber.exec(line)?.[0].length ?? 0;
      const plain = line.slice(number);
      // A key without an end continues as long as its lines look like parts of one.
      const goesOn = at === 0 || blankOrHeader.test(plain) || looksLikeKeyLine(line);
      if (end < 0 && !goesOn) break;
      for (const { 0: secret, index: position } of plain.matchAll(/[A-Za-z0-9+/=]{4,}/g))
        runs.push({ secret, start: offset + number + position });
      offset += line.length + 1;
    }
    const id = hashOf(runs.map(({ secret }) => secret).join(''));
    return runs.map((run, line) => ({
      start: run.start,
      end: run.start + run.secret.length,
      visiblePrefix: '',
      id: `${id}.${line + 1}`,
    }));
  });
}

const blankOrHeader = /^\s*$|^\s{0,8}(?:Proc-Type|DEK-Info|Comment|Version):/;

/** True if a line may be one of a private key in base64, also inside a string of source code. */
export function looksLikeKeyLine(line: string): boolean {
  const [, run = ''] = keyLine.exec(line.replace(lineNumber, '').trim()) ?? [];
  return /[A-Z0-9+/=]/.test(run);
}

const keyLine = /^["'`|>]{0,8}([A-Za-z0-9+/=]{4,})(?:\\[rn]){0,2}["'`,;)\s+\\]{0,8}$/;

/** 24 bits: enough to distinguish the secrets of a file, too few to recover one from its hash. */
function hashOf(text: string): string {
  const hash = fnvHash(text);
  return ((hash ^ (hash >>> 24)) & 0xff_ff_ff).toString(16).padStart(6, '0');
}

/** A shape of well-known secrets. */
interface SecretShape {
  readonly kind: string;
  /** Every secret of this shape contains one of these, which are faster to find than the shape. */
  readonly literals: readonly string[];
  /** The first group, which identifies the kind, stays visible. */
  readonly pattern: RegExp;
  /** True if a match of the pattern is a secret; undefined if every match is. */
  readonly isSecret: ((match: string) => boolean) | undefined;
}

function shape(
  kind: string,
  literals: string,
  pattern: string,
  isSecret?: (match: string) => boolean,
): SecretShape {
  return { kind, literals: literals.split(' '), pattern: new RegExp(pattern, 'g'), isSecret };
}

/** Beginnings of the keys of services with models. */
export const modelKeyPrefixes = 'sk- gsk_ xai- nvapi- csk- pplx- tgp_v1_'.split(' ');

/** Beginnings that no other word has. */
const keyPrefixes = [
  ...modelKeyPrefixes,
  ...'r8_ tvly- pcsk_ lsv2_pt_ lsv2_sk_ sntrys_ sntryu_ nfp_ pscale_tkn_ pscale_pw_ pscale_oauth_ figd_ CFPAT- PMAK- rubygems_ HRKU- xkeysib- FLWSECK- shippo_live_ shippo_test_ tskey- bkua_ CCIPAT_ pnu_ rdme_ sgp_ LTAI AKID AQVN GR1348941'.split(
    ' ',
  ),
];

/** Not inside a word. An escape in a string, or an encoded character in a URL, also ends a word. */
const wordStart = String.raw`(?<![A-Za-z0-9](?<!\\[nrt])(?<!%[0-9A-Fa-f]{2})(?<!\u001b\[[\d;]{0,20}m))`;

const uuid = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}';

/** Names of values that are always secret, or suffixes of such names. */
const namesOfSecrets =
  '[Tt]oken|TOKEN|[Ss]ecret|SECRET|[Pp]assw(?:or)?d|PASSW(?:OR)?D|[Pp]assphrase|PASSPHRASE|[Pp]wd|PWD|[Cc]redentials?|CREDENTIALS?';

/** Between a name and its value, in settings, code, addresses and on command lines. */
const assigned = String.raw`[\w-]{0,12}["'\`\]]{0,3}\s{0,3}(?:=>|[:=]{1,2})\s{0,3}["'\`]?`;
const spaced = String.raw`[\w-]{0,12}["'\`]?\s{1,3}["'\`]?`;

/** After a prefix of limited length, each matches characters of one class, so none is slow. */
const secretShapes: readonly SecretShape[] = [
  shape('AWS access key', 'AKIA ASIA', '(A[KS]IA)[A-Z0-9]{16,}'),
  shape('GitHub token', 'ghp_ gho_ ghs_ ghu_ ghr_', '(gh[opsur]_)[A-Za-z0-9]{36,}'),
  shape('GitHub token', 'github_pat_', String.raw`(github_pat_)\w{50,}`),
  shape(
    'GitLab token',
    'glpat- gldt- glrt- glrtr- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-',
    String.raw`(gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat|ffct)-)[\w.-]{18,}\w`,
  ),
  shape('Slack token', 'xox xapp-', '(xox[abeprs]-|xapp-)[A-Za-z0-9-]{9,}[A-Za-z0-9]'),
  shape('Slack webhook', 'hooks.slack', String.raw`(hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}`),
  shape('Google API key', 'AIza', String.raw`(AIza)[\w-]{34,}\w`),
  shape('Google token', 'ya29.', String.raw`(ya29\.)[\w-]{29,}\w`),
  shape('Google client secret', 'GOCSPX-', String.raw`(GOCSPX-)[\w-]{24,}\w`),
  shape('Google token', '1//0', String.raw`(1\/\/0)[\w-]{39,}\w`),
  shape(
    'Stripe key',
    'k_live_ k_test_ k_org_ whsec_',
    '([rs]k_(?:org_)?(?:live|test)_|whsec_)[A-Za-z0-9]{20,}',
  ),
  shape('npm token', 'npm_', '(npm_)[A-Za-z0-9]{36,}'),
  shape('PyPI token', 'pypi-', String.raw`(pypi-)[\w-]{49,}\w`),
  shape('Hugging Face token', 'hf_ api_org_', '(hf_|api_org_)[A-Za-z0-9]{30,}'),
  shape('SendGrid key', 'SG.', String.raw`(SG\.)[\w-]{22}\.[\w-]{42,}\w`),
  shape('Twilio key', 'SK', '(SK)[0-9a-f]{32,}'),
  shape('DigitalOcean token', '_v1_', '(do[oprt]_v1_)[a-f0-9]{64,}'),
  shape('Databricks token', 'dapi', '(dapi)[a-f0-9]{32,}'),
  shape('Shopify token', 'shp', '(shp(?:at|ca|pa|ss)_)[A-Fa-f0-9]{32,}'),
  shape('Grafana token', 'glsa_ glc_', '(gl(?:sa|c)_)[A-Za-z0-9_=+/]{32,}'),
  shape('Vault token', 'hvs. hvb.', String.raw`(hv[sb]\.)[\w-]{23,}\w`),
  shape('Terraform token', '.atlasv1.', String.raw`[A-Za-z0-9]{14}(\.atlasv1\.)[\w-]{59,}\w`),
  shape('Atlassian token', 'ATATT3 ATCTT3', String.raw`(AT[AC]TT3)[\w=-]{50,}`),
  shape('Bitbucket password', 'ATBB', `(?<![+/])${wordStart}(ATBB)[A-Za-z0-9]{28,}`),
  shape('age key', 'AGE-SECRET-KEY-1', '(AGE-SECRET-KEY-1)[0-9A-Z]{50,}'),
  shape('Azure key', 'AccountKey= AccessKey=', '(Acc(?:ount|ess)Key=)[A-Za-z0-9+/]{40,}={0,2}'),
  shape('Azure signature', 'sig=', '([?&;]sig=)[A-Za-z0-9%+/]{40,}={0,2}'),
  shape('Azure secret', 'Q~', String.raw`(?<![_.~-])${wordStart}([\w.~-]{3}\dQ~)[\w.~-]{29,}[\w~]`),
  shape('Docker token', 'dckr_', String.raw`(dckr_[po]at_)[\w-]{19,}\w`),
  shape(
    'Doppler token',
    'dp.',
    String.raw`${wordStart}(dp\.(?:pt|st|ct|sa|scim|audit)\.)[\w.-]{39,}\w`,
  ),
  shape('Cloudflare key', 'v1.0-', String.raw`(v1\.0-)[a-f0-9]{24}-[a-f0-9]{140,}`),
  shape('Cloudflare token', 'cfut_ cfat_', `${wordStart}(cf[ua]t_)[A-Za-z0-9]{40,}`),
  // Two parts that a `=` separates, of which the first begins with zeros in base64. Data has none inside.
  shape(
    'X token',
    'AAAAAAAAAAAAAAAAAAAAA',
    String.raw`(?<![+/])${wordStart}(A{20})A[A-Za-z0-9%+/]{30,90}(?:%3[Dd]|=)[A-Za-z0-9]{30,}`,
  ),
  shape('Fly token', 'fm1', String.raw`(fm1[ar]_)[A-Za-z0-9+/=]{50,}`),
  shape('Fly token', 'fm2_', String.raw`(fm2_)[A-Za-z0-9+/=]{50,}`),
  shape('Square token', 'sq0', String.raw`(sq0(?:atp|csp)-)[\w-]{21,}\w`),
  shape('Pulumi token', 'pul-', '(pul-)[a-f0-9]{40,}'),
  shape('New Relic key', 'NRAK- NRII-', String.raw`(NR(?:AK|II)-)[\w-]{26,}\w`),
  shape('Supabase token', 'sbp_ sb_secret_', String.raw`(sbp_|sb_secret_)[\w-]{27,}\w`),
  shape('Linear key', 'lin_', '(lin_(?:api|oauth)_)[A-Za-z0-9]{32,}'),
  shape('Notion token', 'secret_ ntn_', `(?<!_)${wordStart}(secret_|ntn_)[A-Za-z0-9]{40,}`),
  shape('Mailgun key', 'key-', `(?<!-)${wordStart}(key-)[a-f0-9]{32,}`),
  shape('Telegram token', ':AA', String.raw`(?<!\d)(\d{8,10}:)AA[\w-]{32,}\w`),
  shape('webhook', '/webhook', String.raw`(/(?:api/webhooks/\d{17,20}|webhookb2)/)[\w@/-]{50,}`),
  shape('Airtable token', 'pat', String.raw`${wordStart}(pat)[A-Za-z0-9]{14}\.[a-f0-9]{64}`),
  shape('Mailchimp key', '-us', String.raw`(?<![a-f0-9])[a-f0-9]{32}(-us\d{1,2})(?!\w)`),
  shape('Dropbox token', 'sl.', String.raw`${wordStart}(sl\.)[\w.-]{119,}\w`),
  shape('PayPal token', 'access_token$', String.raw`(access_token\$)\w{7,10}\$[\w$]{30,}`),
  shape('Dynatrace token', 'dt0', String.raw`(dt0[a-z]\d\d\.)[A-Z0-9]{24}\.[A-Z0-9]{60,}`),
  shape('Baidu key', 'bce-v3/', String.raw`(bce-v3/)[\w/-]{40,}`),
  shape('1Password token', 'ops_eyJ', String.raw`(ops_eyJ)[\w-]{49,}\w`),
  shape('npm password', '_auth _password', '(_(?:authToken|auth|password)=)[A-Za-z0-9+/=_-]{12,}'),
  shape(
    'private key',
    'LS0tLS1CRUdJTi',
    // "-----BEGIN " and the names of private keys, in base64.
    '(LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVO|BFTkNS|BEU0Eg))[A-Za-z0-9+/]{40,}={0,2}',
  ),
  shape('AWS Bedrock key', 'ABSK', `(?<![+/])${wordStart}(ABSK)[A-Za-z0-9+/]{60,}={0,2}`),
  shape('AWS Bedrock key', 'bedrock-api-key-', '(bedrock-api-key-)[A-Za-z0-9+/=]{20,}'),
  shape('Mapbox token', 'k.eyJ', String.raw`([st]k\.eyJ)[\w-]{20,}\.[\w-]{19,}\w`),
  shape('LaunchDarkly key', 'sdk- api-', `(?<!-)${wordStart}((?:sdk|api)-)${uuid}`),
  shape('Plaid token', 'access-', `(access-(?:sandbox|development|production)-)${uuid}`),
  shape('Azure DevOps token', 'AZDO', `${wordStart}[A-Za-z0-9]{76}(AZDO)[A-Za-z0-9]{4}`),
  shape('Square token', 'EAAA', String.raw`(?<![+/])${wordStart}(EAAA)[\w-]{59,}\w`),
  shape('Facebook token', 'EAA', `(?<![+/])${wordStart}(EAA[A-Z])[A-Za-z0-9]{80,}`),
  shape(
    'ngrok token',
    '_',
    String.raw`${wordStart}([12])[A-Za-z0-9]{26}_[A-Za-z0-9]{18,24}(?!\w)`,
    looksRandom,
  ),
  shape('private key', '"d" "k"', String.raw`("[dk]"\s{0,3}:\s{0,3}")[\w-]{40,}`),
  shape('private key', 'Key', String.raw`((?:Private|Preshared)Key\s{0,3}=\s{0,3})[\w+/]{42,}=`),
  shape(
    'Discord token',
    '.',
    String.raw`(?<![_-])${wordStart}([MNO])[\w-]{23,27}\.[\w-]{6}\.[\w-]{26,}\w`,
  ),
  // Three parts in base64: a header and a body that begin with `{"`, and a signature. Each `eyJ` may
  // begin a header, so its length is limited.
  shape('JSON web token', 'eyJ', String.raw`(eyJ)[\w-]{10,500}\.eyJ[\w-]{10,}\.[\w-]{19,}\w`),
  shape(
    'Authorization',
    'earer asic',
    String.raw`([Bb](?:earer|asic) )(?=[a-z_-]{0,200}[A-Z0-9])[\w+/.~-]{19,}[\w=]{1,3}`,
  ),
  shape(
    'AWS secret key',
    'ecret SECRET_ACCESS',
    String.raw`((?:[Ss]ecret_?[Aa]ccess_?[Kk]ey|SECRET_ACCESS_KEY)["']?\s{0,3}[=:]\s{0,3}["']?)[A-Za-z0-9+/]{40,}`,
  ),
  // A user and a password in a URL; a placeholder in brackets is no password.
  shape(
    'password',
    '://',
    String.raw`(://[^\s:/?#@"'<>{}$]{0,100}:)[^\s:/?#@"'<>{}$]{3,200}(?=@[\w[])`,
  ),
  shape(
    'API key',
    keyPrefixes.join(' '),
    // It must contain a digit or a capital: `sk-fading-circle-container` is a class of a style sheet.
    String.raw`${wordStart}(${keyPrefixes.join('|')})(?=[a-z_-]{0,200}[A-Z0-9])[\w-]{19,}\w`,
  ),
  // Beginnings that names in code have too: only characters drawn by chance follow.
  shape(
    'API key',
    'sk_ e2b_ fc- sqp_ squ_ sqa_ CLOJARS_',
    String.raw`${wordStart}(sk_|e2b_|fc-|sq[apu]_|CLOJARS_)[a-f0-9]{32,}`,
  ),
  shape(
    'API key',
    'fw_ rnd_ vcp_ y0_ phx_ jina_ re_',
    String.raw`${wordStart}((?:fw|rnd|vcp|y0|phx|jina)_|re_[A-Za-z0-9]{8}_)(?=(?:[A-Za-z]{0,30}\d){3})(?=[a-z\d]{0,60}[A-Z])[A-Za-z0-9]{20,}`,
  ),
  shape('API key', 'napi_', String.raw`${wordStart}(napi_)[a-z0-9]{40,}`),
  shape('API key', 'EZAK EZTK AKCp', `${wordStart}(EZ[AT]K|AKCp)[A-Za-z0-9]{50,}`),
  shape('API key', 'rzp_ snyk_uat.', String.raw`(rzp_(?:live|test)_|snyk_uat\.)[\w.-]{13,}\w`),
  shape('secret', 'django-insecure-', '(django-insecure-)[^\\s"\'`]{30,}'),
  // The value of a header that carries a key, or an `Authorization` of any scheme.
  shape(
    'Authorization',
    'uthorization api-key Api-Key API-KEY -token -Token -TOKEN',
    String.raw`(?<=(?:[Aa]uthorization|(?:[Aa]pi|API)-(?:[Kk]ey|KEY)|-(?:[Tt]oken|TOKEN))["']?\s{0,3}:\s{0,3}["']?(?:[A-Za-z]{3,10} )?)(?=[^\s"'\d]{0,200}\d)[\w+/.~=-]{16,}(?![\w+/~=([-]|\.\w)`,
  ),
  // A password in a connection string or the query of an address.
  shape(
    'password',
    'assword= wd=',
    String.raw`(?<=[;?&]\s{0,3}(?:[Pp]assword|[Pp]wd)=)[^\s;&"'\`<>{}$‹]{6,200}`,
  ),
  // An environment variable that is named after its content.
  shape(
    'secret',
    'KEY TOKEN SECRET',
    String.raw`(?<=(?<![A-Z0-9_])[A-Z0-9_]{0,60}(?:(?:API|ACCESS|SECRET|PRIVATE|AUTH|ENCRYPTION|SIGNING|MASTER|APP|SERVICE)_?KEY(?:_BASE)?|TOKEN|SECRET)["']?(?:=|:\s{0,3})["']?(?:base64:)?)(?=[^\s"'\d]{0,200}\d)(?=[^\s"'A-Za-z]{0,200}[A-Za-z])[\w+/=~-]{16,}(?![\w+/~=([-]|\.\w)`,
  ),
  shape(
    'password',
    'PASSW PWD PASSPHRASE',
    String.raw`(?<=(?<![A-Z0-9_])[A-Z0-9_]{0,60}(?:PASSWORD|PASSWD|PWD|PASSPHRASE)=["']?)(?=[^\s"'\d]{0,200}\d)[^\s"'\`$<>{}()[\],;/‹]{8,200}(?![\w/(])`,
  ),
  // Random characters in quotes, after a name for a secret.
  shape(
    'secret',
    'ecret oken assword key Key',
    String.raw`(?<=(?:[Ss]ecret|[Tt]oken|[Pp]assword|(?:[Aa]pi|[Ss]ecret|[Aa]ccess|[Pp]rivate|[Aa]uth)[_-]?[Kk]ey)["']?\s{0,3}[:=]\s{0,3}["'\`])(?=[^"'\`\d]{0,200}\d)(?=[^"'\`a-z]{0,200}[a-z])(?=[^"'\`A-Z]{0,200}[A-Z])[\w+/=~.-]{20,}(?=["'\`])`,
  ),
  // Other random characters, after a name for a secret.
  shape(
    'secret',
    'key Key KEY oken OKEN ecret ECRET assw ASSW assphrase ASSPHRASE pwd PWD redential REDENTIAL',
    String.raw`(?<![\w+/.~-])(?=[\w+/][\w+/=.~-]{19})(?<=(?:(?<!ublic[_-]?)(?<!UBLIC[_-]?)(?:[Kk]ey|KEY)${assigned}|(?:${namesOfSecrets})(?:${assigned}|${spaced})))[\w+/=.~-]{20,}(?![\w+/=.~(\[‹-])`,
    looksRandom,
  ),
  shape(
    'secret',
    'oken OKEN ecret ECRET assw ASSW pi',
    String.raw`(?<=(?:[Aa]pi[_-]?[Kk]ey|API[_-]?KEY|${namesOfSecrets})(?:${assigned}|${spaced}))${uuid}`,
  ),
];

/** True if a text was drawn by chance, and is no name, path or sentence. */
function looksRandom(text: string): boolean {
  // The fingerprint of an OpenPGP key.
  if (/^[0-9A-F]{40}$/.test(text)) return false;
  const parts = text.split(/[^A-Za-z0-9]+/).filter((part) => part !== '');
  const letters = parts.join('');
  // Parts of names and paths are short.
  if (letters.length < 18 || letters.length < parts.length * 8) return false;
  const runs = letters.match(/[a-z]+|[A-Z]+|\d+/g) ?? [];
  const share = (runs.length - 1) / (letters.length - 1);
  const numbers = runs.filter((run) => /\d/.test(run)).length;
  if (numbers >= 4) return share >= 0.15;
  return share >= (numbers > 0 ? 0.4 : 0.55);
}
