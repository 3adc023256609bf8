import fc from 'fast-check';
import assert from 'node:assert/strict';
import { deniedPlaces } from '../../../../src/core/approval/deniedPlaces.ts';
import {
  hasSecretName,
  mayBeKey,
  secretGlobs,
  unlistedBelow,
  unsearchedBelow,
} from '../../../../src/core/approval/secrets.ts';
import { compileGlobs } from '../../../../src/core/files/globs.ts';
import { SearchResults } from '../../../../src/core/files/searchResults.ts';
import { WalkSearch } from '../../../../src/core/files/walkSearch.ts';
import { FakeReader } from '../files/fakeReader.ts';
import { fileAt } from './policyRig.ts';

/** Files to which tools write passwords, keys and tokens. */
const secretFiles = `
prod.env .env .env.local .env.production .env.example config/staging.env .dev.vars
.npmrc packages/a/.npmrc .yarnrc.yml .pypirc pip.conf .gem/credentials .bundle/config .cargo/credentials .cargo/credentials.toml
auth.json composer/auth.json nuget.config NuGet.Config .m2/settings.xml .mvn/settings.xml settings-security.xml gradle.properties
.git/config .git-credentials .config/git/credentials .config/gh/hosts.yml .config/hub .sentryclirc
credentials.json config/credentials.yaml credentials aws-credentials.json new_user_credentials.csv accessKeys.csv rootkey.csv
secrets.yml secrets.json config/secrets.yaml secrets.prod.json .streamlit/secrets.toml secret.yaml .secrets passwords.txt
service-account.json service_account_prod.json serviceAccountKey.json my-service-account.json client_secret_123.apps.json
app-firebase-adminsdk-x1.json application_default_credentials.json .config/gcloud/legacy_credentials/me/adc.json gha-creds-1.json
terraform.tfvars prod.auto.tfvars x.tfvars.json terraform.tfstate terraform.tfstate.backup .terraformrc terraform.rc credentials.tfrc.json
.aws/credentials sub/.aws/config .azure/accessTokens.json .docker/config.json .dockercfg .oci/config .s3cfg .boto rclone.conf
kubeconfig .kube/config prod.kubeconfig .pgpass pgpass.conf .my.cnf .mylogin.cnf wp-config.php wp-config.php.bak tomcat-users.xml
.netrc _netrc .htpasswd .vault-token .vault_pass.txt config/master.key config/credentials/production.key
id_rsa id_ed25519 deploy_rsa .ssh/config .ssh/deploy .gnupg/secring.gpg a.pem a.ppk a.kdbx a.p12 a.p8 a.pfx a.jks release.keystore
key.properties keystore.properties profile.mobileprovision office.ovpn .bash_history local.settings.json sftp-config.json
env.production production.env.json application-secrets.yml app-secrets.json user-secrets.json oauth_token.txt access_token.txt token.txt
apikey.txt api_key.txt api_keys.json api-keys.yaml .python_history .node_repl_history private.asc secring.gpg ansible_vault_pass
wallet.dat .m2/settings.xml .config/filezilla/filezilla.xml .filezilla/filezilla.xml wg0.conf wireguard/peer.conf .netlify/config.json com.vercel.cli/auth.json
google-services.json GoogleService-Info.plist appsettings.secrets.json vault.yml group_vars/all/vault.yml
env.prod creds.json aws-creds.json aws-credentials.ini prod_credentials.yaml .secrets.toml .kamal/secrets .kamal/secrets.production
db-secret.yaml values.secret.yaml slack_token.txt token.json oauth_creds.json .gemini/oauth_creds.json .clasprc.json private.gpg secret.asc
private-key.txt secret_key.txt krb5.keytab krb5cc_1000 logins.csv pass.txt lastpass_export.csv bitwarden_export_2024.json
seed-phrase.txt github-recovery-codes.txt gcp-key.json gcp-sa-prod.json sa-key.json keyfile.json .config/solana/id.json
.near-credentials/testnet/me.json .ethereum/keystore/UTC--2020 kube.config k3s.yaml docker-config.json traefik/acme.json .config/hcloud/cli.toml
.idea/dataSources.local.xml .snowflake/connections.toml system-connections/home.nmconnection wpa_supplicant.conf .authinfo
.smbcredentials .vnc/passwd cookies.txt .irb_history .sqlite_history fish_history PSReadLine/ConsoleHost_history.txt
.continue/config.yaml .continue/config.json .cline/data/secrets.json .cline/data/globalState.json .cline/data/settings/providers.json roo-code-settings.json chatLanguageModels.json
.mcp.json .claude.json .config/github-copilot/apps.json github-copilot/hosts.json admin.conf kubeadm.conf seed.txt SECRET_KEY Cookies
.secret secret secrets token .token deploy_key github_deploy_key
`;

/** Source code, documentation and settings that are read every day. */
const ordinaryFiles = `
environment.ts environments/prod.ts env.ts env.d.ts vite-env.d.ts src/env/index.ts app.env.ts dotenv.md
keyboard.ts keys.ts key.ts keystore.ts src/keychain/mod.rs keymap.json monkey.py turkey.md
tokenizer.ts tokens.json token.ts tokenize.py design-tokens.json
token/index.ts secrets/readme.md design/token/a.json creds.ts ERC20Token.json my-token.json passes.txt keyfile.ts seed.ts cookies.ts cookies/index.ts admin.ts mcp.json claude.json
secret.ts secrets.ts secrets.test.ts secrets.tf secrets/index.ts secrets.md secrets.schema.ts .secrets.baseline
credentials.ts credentials.md credentials/index.ts src/credentials/store.py credentials.yml.enc credentials.test.json.md
password.ts passwords.ts password-reset.html passwd.c
auth.ts auth.py auth/config.json oauth.json authors.json config.json config.yml config/database.yml
settings.json settings.py settings.xml .vscode/settings.json tsconfig.json package.json pom.xml build.gradle
docker-compose.yml Dockerfile kube/deployment.yaml k8s/config.yaml hosts.yml
service-account.ts service-account.md service_account.py client.json firebase.json google.json
main.tf variables.tf terraform.tfvars.example tfstate.go
.gitignore .gitattributes .yarnrc .editorconfig .babelrc .eslintrc.json .bashrc
server.crt ca.cer id.ts identity.rs id_token.ts rsa.ts crypto_rsa/mod.rs ssh.ts pem.go a.pem.ts
wp-config-sample.php wp-content/index.php netrc.py pgpass.rs boto.py rclone.md hub.ts gh/readme.md vault.go vault_test.go htaccess .htaccess
`;

describe('secret files', () => {
  for (const path of secretFiles.trim().split(/\s+/)) {
    for (const spelled of [path, `a/b/${path}`, path.toUpperCase(), `${path} .`]) {
      it(`include ${spelled}`, () => assert.equal(hasSecretName(spelled), true));
    }
  }

  for (const path of ordinaryFiles.trim().split(/\s+/)) {
    for (const spelled of [path, `a/b/${path}`]) {
      it(`exclude ${spelled}`, () => assert.equal(hasSecretName(spelled), false));
    }
  }

  /** Names that editors, file managers and people give to a copy of a file. */
  const copies: readonly ((name: string) => string)[] = [
    ...'~ .~1~ .bak .BAK .backup .old .orig .save .saved .tmp .rej .swp .1 .bak~ .old.2 _old -copy _20240131 .bak.1~'
      .split(' ')
      .map((end) => (name: string) => name + end),
    (name) => `${name} copy`,
    (name) => `${name} copy 2`,
    (name) => `${name} - Copy`,
    (name) => `${name} (1)`,
    (name) => `#${name}#`,
    (name) => `.#${name}`,
    (name) => `.${name}.swp`,
    (name) => `Copy of ${name}`,
    (name) => name.replace(/(?=\.[^.]*$)/, ' copy'),
    (name) => name.replace(/(?=\.[^.]*$)/, ' (2)'),
    (name) => name.replace(/(?=\.[^.]*$)/, '_20240131120000'),
  ];
  for (const path of secretFiles.trim().split(/\s+/)) {
    it(`include any copy of ${path}`, () => {
      for (const copy of copies) {
        const name = copy(path.slice(path.lastIndexOf('/') + 1));
        const copied = path.slice(0, path.lastIndexOf('/') + 1) + name;
        assert.equal(hasSecretName(copied), true, copied);
      }
    });
  }

  it('exclude any copy of an ordinary file', () => {
    for (const path of ordinaryFiles.trim().split(/\s+/)) {
      for (const copy of copies) {
        // A leading dot can turn an ordinary name into a secret one: `.env*`.
        if (copy('a').startsWith('.a')) continue;
        assert.equal(hasSecretName(copy(path)), false, copy(path));
      }
    }
  });

  it('include any copy of a possible key file', () => {
    for (const copy of copies) {
      assert.equal(mayBeKey(`a/${copy('server.key')}`), true, copy('server.key'));
      assert.equal(mayBeKey(`a.key/${copy('server.ts')}`), false);
    }
  });

  it('are excluded from searches by globs, unlike ordinary files', () => {
    const isMatch = compileGlobs(secretGlobs);
    // A search does not enter an excluded folder.
    const isExcluded = (path: string): boolean =>
      path.split('/').some((_, index, names) => isMatch(names.slice(0, index + 1).join('/')));
    for (const path of secretFiles.trim().split(/\s+/)) {
      // A search removes the other names from its results.
      const isFileName =
        /^(credentials|SECRET_KEY|Cookies|kubeconfig|\.secrets?|secrets?|\.?token|deploy_rsa|(github_)?deploy_key)$/.test(
          path,
        );
      const lower = path.toLowerCase();
      const isFolded = lower !== path;
      if (!isFileName && !isFolded) assert.equal(isExcluded(`a/${path}`), true, path);
    }
    for (const path of ordinaryFiles.trim().split(/\s+/))
      assert.equal(isExcluded(path), false, path);
  });

  it('are recognized in linear time, whatever the name is', () => {
    const names = [
      '-'.repeat(250),
      'client_secret'.repeat(19),
      '.env.'.repeat(50),
      'a~'.repeat(125),
    ];
    for (const name of names) assert.equal(typeof hasSecretName(`${name}/`.repeat(40)), 'boolean');
  });

  const secrets =
    '.env .env.local .ENV a/.env.production .envrc a.pem A.PEM id_rsa id_ed25519.pub.bak id_dsa.bak id_ecdsa .npmrc .netrc _netrc kubeconfig KUBECONFIG prod.kubeconfig kubeconfig.yaml prod.kubeconfig.yml prod-kubeconfig.yaml kubeconfig.json ~/.kube/config ~/.kube/config.yaml .kube/config-prod .kube/config.d/prod a.tfstate a.tfstate.backup .git-credentials .pypirc .e\u200dnv x.p12 .envs/.env/a a.pem. .npmrc.. ENV~1 ENV~1.LOC EN2B4F~1 ID_ED2~1 NPMRC~1 GIT-CR~1 KUBECO~1 KUBE~1/config TERRAF~1.TFS';
  for (const path of secrets.split(' ')) {
    it(`include ${JSON.stringify(path)}`, () => assert.equal(hasSecretName(path), true));
  }

  const publicFiles =
    'id_rsa.pub .ssh/id_ed25519.pub deploy_rsa.pub public/locales/en/auth.json i18n/de/token.json src/lang/pt-BR/secrets.yml locales/zh_cn/credentials.json';
  for (const path of publicFiles.split(' ')) {
    it(`exclude ${path}, which is public`, () => assert.equal(hasSecretName(path), false));
  }

  const notPublic =
    'id_rsa.public locales/auth.json locales/english/token.json locales/en/.env locales/en/secret locales/en/service-account.json i18n/de/auth.json/.npmrc';
  for (const path of notPublic.split(' ')) {
    it(`include ${path}`, () => assert.equal(hasSecretName(path), true));
  }

  it('include the passwords that browsers store', () => {
    for (const path of ['Default/Login Data', 'Default/Login Data For Account.bak'])
      assert.equal(hasSecretName(path), path.endsWith('Data'), path);
  });

  it('include names that end with spaces', () => {
    assert.equal(hasSecretName('.npmrc '), true);
    assert.equal(mayBeKey('a.key .'), true);
  });

  const others =
    'env.ts environment.ts app.env.ts id.ts my_id_rsa.ts pem.ts a.pem.ts config kube/config kubeconfig.go kubeconfig.ts load-kubeconfig/main.go kubeconfigs.yaml .kube/cache tfstate.md npmrc.md netrc notes~1.txt env~ environs~1 SRC~1/a.ts en~1';
  for (const path of others.split(' ')) {
    it(`exclude ${path}`, () => assert.equal(hasSecretName(path), false));
  }
});

const seed = Number(process.env['SEED'] ?? 3);
const home = fileAt('/home/me');
const denied = deniedPlaces([home], [fileAt('/home/me/data [1]/aside')]);

describe('a search by a model', () => {
  it('lists no denied places, not even their names, whatever their case', () => {
    const { has, globs } = unlistedBelow(home, denied);
    for (const path of ['.ssh/id_rsa', '.SSH/x', '.aws/credentials', '.config/Code - OSS/a']) {
      assert.equal(has(path), true, path);
    }
    for (const path of ['.env', 'src/app.ts', 'id_rsa', '.sshd', '.config/git/config']) {
      assert.equal(has(path), false, path);
    }
    assert.ok(globs.includes('/.ssh'));
    assert.ok(globs.includes('/.config/Code - *'));
    assert.ok(globs.includes(String.raw`/data \[1\]/aside`));
  });

  it('finds nothing in files that may contain secrets or keys', () => {
    const { has } = unsearchedBelow(fileAt('/home/me/ws'), denied);
    for (const path of ['.env', 'a/PROD.ENV', 'a/server.key', 'b/.aws/x', 'credentials']) {
      assert.equal(has(path), true, path);
    }
    for (const path of ['src/app.ts', 'credentials/index.ts', 'keys.ts']) {
      assert.equal(has(path), false, path);
    }
    assert.equal(unsearchedBelow(fileAt('/ws/.ssh'), denied).has('deploy'), true);
  });
});

const secretPaths = '.env a/.npmrc a/b/prod.env .AWS/Credentials tls/server.key x.pem'.split(' ');
const searchedFiles = {
  'a/app.ts': 'const key = process.env.KEY;\nconst value = 1;\n',
  'README.md': 'Set KEY in .env\nkey=value\n',
  'a/b/c.txt': 'KEY=abc\nnothing\n',
};

async function search(files: Readonly<Record<string, string>>, text: string, isRegex: boolean) {
  const reader = new FakeReader(files);
  const root = fileAt('/ws');
  const results = new SearchResults();
  const leftOut = unsearchedBelow(root, denied);
  const scope = { root, start: '', include: [], exclude: [], leftOut };
  const { signal } = new AbortController();
  const query = { text, isRegex, context: 1 };
  try {
    await new WalkSearch(() => reader).lines(scope, query, (line) => results.add(line), signal);
  } catch (error) {
    return { text: String(error), opened: reader.opened };
  }
  return { text: results.render(0), opened: reader.opened };
}

describe('a search', () => {
  it('reveals nothing about files with secrets, in 200 queries', async () => {
    const character = fc.constantFrom(...Array.from('KEYkeyabc123=.^$*+?[]()|\\d-_ '));
    const query = fc.string({ unit: character, minLength: 1, maxLength: 12 });
    const secret = fc.stringMatching(/^(?:[A-Z_]{2,6}=[a-zA-Z0-9]{1,30}\n){1,5}$/);
    await fc.assert(
      fc.asyncProperty(
        query,
        fc.boolean(),
        secret,
        secret,
        async (text, isRegex, secret, otherSecret) => {
          const filesWith = (content: string) =>
            Object.fromEntries(secretPaths.map((path) => [path, content]));
          const [first, second] = [
            await search({ ...searchedFiles, ...filesWith(secret) }, text, isRegex),
            await search({ ...searchedFiles, ...filesWith(otherSecret) }, text, isRegex),
          ];
          assert.equal(first.text, second.text);
          for (const path of secretPaths) assert.ok(!first.text.includes(`${path}:`), first.text);
          assert.deepEqual(
            first.opened.filter((path) => secretPaths.includes(path)),
            [],
            'it opened them',
          );
        },
      ),
      { seed, numRuns: 200 },
    );
  });

  it('reveals nothing about tokens in other files', async () => {
    const character = fc.constantFrom(...Array.from('ghp_abcABC019=-"36 '));
    const word = fc.string({ unit: character, minLength: 1, maxLength: 10 });
    const query = fc.tuple(word, fc.boolean(), fc.boolean());
    const token = fc.stringMatching(/^ghp_[A-Za-z0-9]{36}$/);
    const withoutIds = (text: string): string => text.replace(/‹masked [0-9a-f]{6}›/g, '‹masked›');
    await fc.assert(
      fc.asyncProperty(
        query,
        token,
        token,
        async ([word, atStart, atEnd], firstToken, secondToken) => {
          const text = `${atStart ? '\\b' : ''}${word}${atEnd ? '\\b' : ''}`;
          const filesWith = (secret: string) => ({
            'a.ts': `const t = "${secret}";\nconst u = 1;\n`,
          });
          const first = await search(filesWith(firstToken), text, true);
          const second = await search(filesWith(secondToken), text, true);
          assert.equal(withoutIds(first.text), withoutIds(second.text));
          assert.ok(!first.text.includes(firstToken));
        },
      ),
      { seed, numRuns: 200 },
    );
  });
});
