import { findSecretToken, maskDiff, maskSecrets } from '../support/secretTokens.ts';
import {
  foldCase,
  foldOnVolume,
  isShortName,
  type LeftOut,
  type Location,
  locationBelow,
  relativeSegments,
  segmentsOf,
  type Target,
} from '../files/places.ts';
import { isWithinAny } from './deniedPlaces.ts';

/**
 * Names of files that hold passwords, keys and tokens, in lower case. `*` stands for any characters.
 * A name with a folder counts only in that folder. Files that are encrypted, only public, or source
 * code are not listed: what looks like a token in them is masked.
 */
const patterns: readonly string[] = [
  // environments
  '.env* *.env *.env.json env.production .dev.vars .dev.vars.* env.prod env.local env.staging',
  // private keys and stores of keys
  'id_rsa* id_dsa* id_ecdsa* id_ed25519* .ssh/* .gnupg/*',
  '*.pem *.p12 *.p8 *.pfx *.pkcs12 *.ppk *.pk8 *.pvk *.snk *.jks *.jceks *.bks *.keystore *.agekey *.ovpn',
  '*.kdb *.kdbx *.psafe3 *.kwallet *.keychain *.keychain-db *.agilekeychain/* *.opvault/* *.mobileprovision wallet.dat secring.gpg private.asc',
  'master.key config/credentials/*.key key.properties keystore.properties signing.properties private.gpg secret.gpg secret.asc private-key.asc private-key.txt private_key.txt privatekey.txt secret-key.txt secret_key.txt secretkey.txt *.keytab krb5cc_*',
  // files named after their content
  'credentials.json credentials.yml credentials.yaml credentials.toml credentials.ini credentials.xml credentials.cfg credentials.properties credentials.txt credentials.clj *[-_.]credentials.json *credentials.csv accesskeys.csv *_accesskeys.csv rootkey.csv creds.json creds.yml creds.yaml creds.ini creds.txt *[-_.]creds.json *[-_]credentials.ini *[-_]credentials.yml *[-_]credentials.yaml *[-_]credentials.txt',
  'secret.yml secret.yaml secret.json secret.toml secret.txt secrets.yml secrets.yaml secrets.json secrets.toml secrets.ini secrets.xml secrets.cfg secrets.conf secrets.properties secrets.txt secrets.*.yml secrets.*.yaml secrets.*.json secrets.*.toml secrets.plist *[-_.]secrets.yml *[-_.]secrets.yaml *[-_.]secrets.json .secrets.toml .secrets.yml .secrets.yaml .secrets.json .kamal/secrets* *[-_.]secret.yml *[-_.]secret.yaml *[-_.]secret.json',
  'apikey.txt api_key.txt apikeys.txt api_keys.txt apikeys.json api_keys.json api-keys.json api_keys.yaml api-keys.yaml token.txt oauth_token.txt access_token.txt auth_token.txt token.json access_token.json oauth_token.json auth_token.json oauth_creds.json *[-_]token.txt .clasprc.json',
  'passwords.txt passwords.csv passwords.json password.txt passwd.txt .passwd .htpasswd passwords.xlsx passwords.kdbx pass.txt logins.csv lastpass*.csv 1password*.csv bitwarden_export*.json bitwarden_export*.csv mnemonic.txt seed.txt seedphrase.txt seed-phrase.txt seed_phrase.txt *recovery-codes.txt *recovery_codes.txt *backup-codes.txt *backup_codes.txt',
  // package registries and builds
  '.npmrc .yarnrc.yml .pypirc pip.conf pip.ini .gem/credentials .bundle/config .cargo/credentials .cargo/credentials.toml auth.json pypoetry/auth.toml nuget.config .m2/settings.xml .mvn/settings.xml maven/settings.xml settings-security.xml gradle.properties .hex/hex.config',
  // Git, and the services that keep repositories
  '.git-credentials .git/config* git/credentials .git/credentials gh/hosts.yml gh/hosts.yaml .config/hub glab-cli/config.yml .sentryclirc sentry.properties',
  // clouds
  '.aws/* .azure/* .oci/* .aliyun/config.json .bluemix/config.json .cloudflared/* .fly/config.yml doctl/config.yaml scw/config.yaml .wrangler/config/* legacy_credentials/* access_tokens.db credentials.db .s3cfg .boto .passwd-s3fs rclone.conf .rclone.conf ngrok.yml .databrickscfg .snowsql/config kaggle.json huggingface/token .huggingface/token azureprofile.json accesstokens.json msal_token_cache* *.publishsettings local.settings.json google-services.json googleservice-info.plist .netlify/config.json com.vercel.cli/auth.json',
  'service-account*.json service_account*.json serviceaccount*.json *[-_]service-account.json *[-_]service_account.json *firebase-adminsdk*.json client_secret*.json client-secret*.json gha-creds-*.json gcp-key*.json gcp_key*.json gcp-sa*.json sa-key*.json sa_key*.json gcloud-key*.json service-key.json service_key.json keyfile.json private-key.json private_key.json solana/id.json .near-credentials/* ethereum/keystore/* keystore/utc--*',
  // clusters and infrastructure
  '*.kubeconfig *[-_.]kubeconfig.yml *[-_.]kubeconfig.yaml *[-_.]kubeconfig.json kubeconfig.yml kubeconfig.yaml kubeconfig.json .kube/config* admin.conf kubeadm.conf .docker/config.json .dockercfg .dockerconfigjson *.tfstate *.tfstate.* *.tfvars *.tfvars.json .terraformrc terraform.rc credentials.tfrc.json .vault-token .vault_pass* .vault-pass* vault_pass.txt vault-pass.txt vault_password* vault-password* ansible_vault_pass* vault.yml vault.yaml hudson.util.secret kube.config k3s.yaml docker-config.json docker_config.json acme.json hcloud/cli.toml .mc/config.json .config/linode-cli',
  // agents and other extensions
  '.continue/config.* .cline/data/* data/settings/providers.json roo-code-settings*.json chatlanguagemodels.json .mcp.json .claude.json .claude.json.* github-copilot/apps.json github-copilot/hosts.json .codex/auth.json .aider.conf.yml',
  // databases and servers
  '.pgpass pgpass.conf .pg_service.conf .my.cnf .mylogin.cnf credentials-config.json .dbt/profiles.yml wp-config.php wp-config.php.* wp-config.bak tomcat-users.xml .erlang.cookie etc/shadow* etc/gshadow* datasources.local.xml .snowflake/connections.toml .snowflake/config.toml',
  // mail, transfer and browsers
  '.netrc _netrc .curlrc .wgetrc .msmtprc .fetchmailrc .offlineimaprc sftp.json sftp-config.json .ftpconfig .remote-sync.json sitemanager.xml recentservers.xml filezilla/filezilla.xml .filezilla/filezilla.xml wg[0-9].conf wireguard/*.conf logins.json key3.db key4.db cookies.sqlite *.nmconnection wpa_supplicant*.conf .netrc~ .netrc.* .authinfo .smbcredentials .cifscredentials .mutt/passwords .mbsyncrc .getmailrc .vnc/passwd cookies.txt',
  // histories of shells
  '.bash_history .zsh_history .python_history .node_repl_history .psql_history .mysql_history .rediscli_history .sh_history .ash_history .ksh_history fish_history .irb_history .pry_history .sqlite_history .dbshell .mongosh_repl_history .lesshst .viminfo consolehost_history.txt',
].flatMap((line) => line.split(' '));

/** Patterns that apply only to files, since folders of source code have these names too. */
const filePatterns =
  'secret secrets secret_key login*data cookies token .token .tokens deploy_key deploy-key *[-_]deploy_key *[-_]deploy-key credentials .credentials kubeconfig htpasswd .secret .secrets *.secret *.secrets .password *_rsa *_dsa *_ecdsa *_ed25519 encrypted_data_bag_secret'.split(
    ' ',
  );

/**
 * Globs that let a search skip most of these files without opening them. They match lower-case
 * names, and none that folders also have; `hasSecretName` and `mayBeKey` cover the rest.
 */
export const secretGlobs: readonly string[] = [...patterns, '*.key'].map(
  (pattern) => `**/${pattern}`,
);

const ofFolder = (pattern: string): boolean => pattern.includes('/');
const anyName = expressionOf(patterns.filter((pattern) => !ofFolder(pattern)));
const anyFileName = expressionOf(filePatterns);
const anyNameInFolder = expressionOf(patterns.filter(ofFolder));

/** Each alternative has few wildcards, and names are short, so matching is fast. */
function expressionOf(globs: readonly string[]): RegExp {
  const alternatives = globs.map((glob) =>
    glob.replace(/[.+?^${}()|\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*'),
  );
  return new RegExp(`^(?:${alternatives.join('|')})$`);
}

/** Translated texts of a user interface, named after the page that shows them. */
const translation =
  /(?:^|\/)(?:i18n|l10n|intl|lang|langs|languages?|locales?|translations?)\/[a-z]{2,3}(?:[-_][a-z\d]{2,4})?\/(?:auth|tokens?|secrets?|credentials?|passwords?|api[-_]?keys?)\.(?:json|ya?ml)$/;

/** True if a name in the path is that of a file with secrets, or of a copy of one. */
export function hasSecretName(path: string): boolean {
  const names = segmentsOf(path).map(foldOnVolume);
  // A `.pub` file is public. If it does contain a private key, the key is masked.
  if (names.at(-1)?.endsWith('.pub') === true || translation.test(names.join('/'))) return false;
  if (withOriginals(names.at(-1) ?? '').some((name) => anyFileName.test(name))) return true;
  return names.some((name, index) => {
    if (isShortName(name) && isShortForSecret(name)) return true;
    // `KUBE~1` is the short name of `.kube`.
    const around = names
      .slice(Math.max(0, index - 2), index)
      .map((folder) => folder.replace(/^([a-z\d_]{1,6})~\d+$/, '.$1'));
    return withOriginals(name).some((original) => {
      const paths = around.map((_, start) => [...around.slice(start), original].join('/'));
      return anyName.test(original) || paths.some((path) => anyNameInFolder.test(path));
    });
  });
}

/** Suffixes of copies that editors, file managers and people make. */
const copyEnd =
  /(?:\.~\d{1,3}~|~|[._-](?:bak|backup|old|orig|saved?|copy|tmp|temp|rej|prev)|\.sw[a-p]|\.\d{1,3}|[_-]\d{8,14}|(?: -)? copy(?: \d{1,3})?| ?\(\d{1,3}\))$/;
/** Maximum number of such suffixes in one name: `.npmrc.bak.1~`. */
const maxCopyEnds = 3;

/** The name, and those of possible originals if it is a copy. */
function withOriginals(name: string): readonly string[] {
  let whole = name.replace(/^(?:\.?#|copy of )/, '').replace(/#$/, '');
  for (let count = 0; count < maxCopyEnds; count++) whole = whole.replace(copyEnd, '');
  const dot = whole.lastIndexOf('.');
  const beforeExtension =
    dot < 0 ? whole : whole.slice(0, dot).replace(copyEnd, '') + whole.slice(dot);
  // Vim hides its copy of a file behind a dot.
  const unhidden = /\.sw[a-p]$/.test(name) ? whole.replace(/^\./, '') : whole;
  return [...new Set([name, whole, beforeExtension, unhidden])];
}

/** Beginnings of the short names (`NPMRC~1`) of such files on Windows volumes. */
const shortStarts = [...patterns, ...filePatterns].flatMap((pattern) => {
  const name = pattern.replace(/^\.+/, '');
  const [literal = ''] = name.split(/[*[]/);
  const start = literal.split('.', 1)[0]?.slice(0, 6) ?? '';
  if (ofFolder(pattern) || start.length < 2) return [];
  return [{ start, isOpen: start === literal && literal !== name }];
});

/** Extensions that short names truncate to three characters. */
const cutExtensions = new Set(
  patterns.flatMap((pattern) => {
    const extension = /^\*\.([a-z\d]{4,})$/.exec(pattern)?.[1];
    return extension === undefined ? [] : [extension.slice(0, 3)];
  }),
);

/** True if a short name may stand for such a file, even with a checksum in it. */
function isShortForSecret(name: string): boolean {
  const isCut = cutExtensions.has(name.slice(name.lastIndexOf('.') + 1));
  const isHashed = /^..[\da-f]{4}~/.test(name);
  const fits = shortStarts.some(({ start, isOpen }) => {
    if (isHashed && name.startsWith(start.slice(0, 2))) return true;
    return name.startsWith(isOpen ? start : `${start}~`);
  });
  return isCut || fits;
}

/** True if the file may be a key according to its name; its first bytes decide. */
export function mayBeKey(path: string): boolean {
  const name = foldOnVolume(segmentsOf(path).at(-1) ?? '');
  return withOriginals(name).some((original) => original.endsWith('.key'));
}

/** True if the file may hold secrets by its name alone. */
export function mayHoldSecrets(path: string): boolean {
  return hasSecretName(path) || mayBeKey(path);
}

/**
 * True if reading the file needs a separate approval.
 *
 * @param head its first bytes; if undefined, the name decides
 */
export function isSecret(
  { named, location, kind }: Pick<Target, 'named' | 'location' | 'kind'>,
  head: Uint8Array | undefined,
): boolean {
  // Listing a folder shows names, never content.
  if (kind === 'folder') return false;
  const paths = [named.path, location.path];
  if (paths.some(hasSecretName)) return true;
  if (!paths.some(mayBeKey)) return false;
  if (head === undefined || head.includes(0)) return true;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return text.trimStart().startsWith('-----BEGIN');
  } catch {
    return true;
  }
}

/**
 * The files that a list omits: denied places, whose names are secret too.
 *
 * @param folder base of the list
 */
export function unlistedBelow(folder: Location, denied: readonly Location[]): LeftOut {
  const globs = denied.flatMap((location) => {
    const names = relativeSegments(folder, location, foldCase) ?? [];
    if (names.length === 0) return [];
    const path = `/${names.join('/')}`.replace(/\*$/, '').replace(/[*?{}[\]\\!]/g, '\\$&');
    // A `*` at the end of a denied place remains a wildcard.
    return [location.path.endsWith('*') ? `${path}*` : path];
  });
  return { globs, has: (path) => isWithinAny(locationBelow(folder, path.split('/')), denied) };
}

/**
 * The files that a search omits: denied places, and files with secrets. Whether, where and how
 * often they match would reveal their content bit by bit (threats: T44).
 *
 * @param folder base of the search
 */
export function unsearchedBelow(folder: Location, denied: readonly Location[]): LeftOut {
  const unlisted = unlistedBelow(folder, denied);
  return {
    globs: [...unlisted.globs, ...secretGlobs],
    has: (path) => mayHoldSecrets(`${folder.path}/${path}`) || unlisted.has(path),
  };
}

/** A file's text that may leave the machine without confirmation. */
export interface OutgoingText {
  readonly text: string;
  /**
   * True if the person allowed the file although it may contain secrets. Then nothing is masked.
   */
  readonly isAllowed: boolean;
}

/** Number of characters at the start of a text that identify a key. */
const headLength = 256;

/**
 * The text of a file that passed the gate, with likely secrets masked. Files that are secret by
 * name, or keys, pass only if the person allowed them, and aren't masked.
 */
export function outgoingText(
  text: string,
  target: Pick<Target, 'named' | 'location' | 'kind'>,
): OutgoingText {
  const head = new TextEncoder().encode(text.slice(0, headLength));
  if (isSecret(target, head)) return { text, isAllowed: true };
  return { text: maskSecrets(text).text, isAllowed: false };
}

/** The reason why sending a part of a file, such as its diff, needs a confirmation. */
export type OutgoingDoubt =
  | { readonly by: 'name' }
  /** Kind of secret that the text seems to contain. */
  | { readonly by: 'token'; readonly kind: string };

/**
 * Checks a part of a file that the person is about to send: an attachment, a diff, a commit
 * message.
 *
 * @param paths all names of the file, including earlier ones
 * @returns undefined if no confirmation is needed
 */
export function outgoingDoubt(text: string, paths: readonly string[]): OutgoingDoubt | undefined {
  if (paths.some(mayHoldSecrets)) return { by: 'name' };
  const kind = findSecretToken(text) ?? (maskDiff(text) === text ? undefined : 'private key');
  return kind === undefined ? undefined : { by: 'token', kind };
}
