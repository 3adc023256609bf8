import assert from 'node:assert/strict';
import { hasSecretName, mayBeKey } from '../../../../src/core/approval/secrets.ts';

describe('secret files', () => {
  const secrets =
    '.env .env.local .ENV a/.env.production .envrc a.pem A.PEM id_rsa id_ed25519.pub id_dsa.bak id_ecdsa .npmrc .netrc _netrc kubeconfig KUBECONFIG prod.kubeconfig kubeconfig.yaml prod.kubeconfig.yml prod-kubeconfig.yaml kubeconfig.json ~/.kube/config ~/.kube/config.yaml .kube/config-prod .kube/config.d/prod a.tfstate a.tfstate.backup .git-credentials .pypirc .e\u200dnv x.p12 .envs/.env/a a.pem. .npmrc.. ENV~1 ENV~1.LOC EN2B4F~1 ID_ED2~1 NPMRC~1 GIT-CR~1 KUBECO~1 KUBE~1/config TERRAF~1.TFS';
  for (const path of secrets.split(' ')) {
    it(`include ${JSON.stringify(path)}`, () => assert.equal(hasSecretName(path), true));
  }

  it('include names with spaces at their end', () => {
    assert.equal(hasSecretName('.npmrc '), true);
    assert.equal(mayBeKey('a.key .'), true);
  });

  const others =
    'env.ts environment.ts app.env.ts id.ts my_id_rsa.ts pem.ts a.pem.ts config kube/config kubeconfig.go kubeconfig.ts load-kubeconfig/main.go kubeconfigs.yaml .kube/cache tfstate.md npmrc.md netrc notes~1.txt env~ environs~1 SRC~1/a.ts en~1';
  for (const path of others.split(' ')) {
    it(`leave out ${path}`, () => assert.equal(hasSecretName(path), false));
  }
});
