/** A shape of well-known secrets. */
export interface SecretShape {
  readonly kind: string;
  /** Every secret of this shape contains one of these, which are faster to find than the shape. */
  readonly literals: readonly string[];
  /** Its first group, which tells what it is, stays visible. */
  readonly pattern: RegExp;
}

function shape(kind: string, literals: string, pattern: string): SecretShape {
  return { kind, literals: literals.split(' '), pattern: new RegExp(pattern, 'g') };
}

/** After a beginning of limited length, each takes characters of one class: none takes long. */
export const secretShapes: readonly SecretShape[] = [
  shape('AWS access key', 'AKIA ASIA', '(A[KS]IA)[A-Z0-9]{16,}'),
  shape('GitHub token', 'ghp_ gho_ ghs_ ghu_ ghr_', '(gh[opsur]_)[A-Za-z0-9]{36,}'),
  shape('GitHub token', 'github_pat_', String.raw`(github_pat_)\w{50,}`),
  shape('GitLab token', 'glpat- gldt- glrt-', String.raw`(gl(?:pat|dt|rt)-)[\w-]{19,}\w`),
  shape('Slack token', 'xox xapp-', '(xox[abeprs]-|xapp-)[A-Za-z0-9-]{9,}[A-Za-z0-9]'),
  shape('Slack webhook', 'hooks.slack', String.raw`(hooks\.slack\.com/services/)[A-Za-z0-9/]{20,}`),
  shape('Google API key', 'AIza', String.raw`(AIza)[\w-]{34,}\w`),
  shape('Google token', 'ya29.', String.raw`(ya29\.)[\w-]{29,}\w`),
  shape('Stripe key', 'k_live_ whsec_', '([rs]k_live_|whsec_)[A-Za-z0-9]{20,}'),
  shape('npm token', 'npm_', '(npm_)[A-Za-z0-9]{36,}'),
  shape('PyPI token', 'pypi-', String.raw`(pypi-)[\w-]{49,}\w`),
  shape('Hugging Face token', 'hf_', '(hf_)[A-Za-z0-9]{30,}'),
  shape('SendGrid key', 'SG.', String.raw`(SG\.)[\w-]{22}\.[\w-]{42,}\w`),
  shape('Twilio key', 'SK', '(SK)[0-9a-f]{32,}'),
  shape('DigitalOcean token', '_v1_', '(do[oprt]_v1_)[a-f0-9]{64,}'),
  shape('Databricks token', 'dapi', '(dapi)[a-f0-9]{32,}'),
  shape('Shopify token', 'shp', '(shp(?:at|ca|pa|ss)_)[A-Fa-f0-9]{32,}'),
  shape('Grafana token', 'glsa_ glc_', '(gl(?:sa|c)_)[A-Za-z0-9_=+/]{32,}'),
  shape('Vault token', 'hvs. hvb.', String.raw`(hv[sb]\.)[\w-]{23,}\w`),
  shape('Terraform token', '.atlasv1.', String.raw`[A-Za-z0-9]{14}(\.atlasv1\.)[\w-]{59,}\w`),
  shape('Atlassian token', 'ATATT3', String.raw`(ATATT3)[\w=-]{50,}`),
  shape('age key', 'AGE-SECRET-KEY-1', '(AGE-SECRET-KEY-1)[0-9A-Z]{50,}'),
  shape('Azure key', 'AccountKey=', '(AccountKey=)[A-Za-z0-9+/]{40,}={0,2}'),
  shape('Docker token', 'dckr_', String.raw`(dckr_[po]at_)[\w-]{19,}\w`),
  shape('Doppler token', 'dp.', String.raw`(?<!\w)(dp\.(?:pt|st|ct|sa|scim|audit)\.)[\w.-]{39,}\w`),
  shape('Fly token', 'fm1', String.raw`(fm1[ar]_)[A-Za-z0-9+/=]{50,}`),
  shape('Fly token', 'fm2_', String.raw`(fm2_)[A-Za-z0-9+/=]{50,}`),
  shape('Square token', 'sq0', String.raw`(sq0(?:atp|csp)-)[\w-]{21,}\w`),
  shape('Pulumi token', 'pul-', '(pul-)[a-f0-9]{40,}'),
  shape('New Relic key', 'NRAK-', '(NRAK-)[A-Z0-9]{27,}'),
  shape('Supabase token', 'sbp_', '(sbp_)[a-f0-9]{40,}'),
  shape('Linear key', 'lin_', '(lin_(?:api|oauth)_)[A-Za-z0-9]{32,}'),
  shape('Notion token', 'secret_ ntn_', '(?<![A-Za-z0-9_])(secret_|ntn_)[A-Za-z0-9]{40,}'),
  shape('Mailgun key', 'key-', '(?<![A-Za-z0-9-])(key-)[a-f0-9]{32,}'),
  shape('Telegram token', ':AA', String.raw`(?<!\d)(\d{8,10}:)AA[\w-]{32,}\w`),
  shape('Discord token', '.', String.raw`(?<![\w-])([MNO])[\w-]{23,27}\.[\w-]{6}\.[\w-]{26,}\w`),
  // Three parts in base64: a header and a body that begin with `{"`, and a signature.
  shape('JSON web token', 'eyJ', String.raw`(eyJ)[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{19,}\w`),
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
  // A user and a password in an address; a placeholder in brackets is none.
  shape(
    'password',
    '://',
    String.raw`(://[^\s:/?#@"'<>{}$]{0,100}:)[^\s:/?#@"'<>{}$]{3,200}(?=@[\w[])`,
  ),
  shape(
    'API key',
    'sk- gsk_ xai- nvapi- r8_',
    // With a digit or a capital in it: `sk-fading-circle-container` is a class of a style sheet.
    String.raw`(?<![A-Za-z0-9])(sk-|gsk_|xai-|nvapi-|r8_)(?=[a-z_-]{0,200}[A-Z0-9])[\w-]{19,}\w`,
  ),
];
