import assert from 'node:assert/strict';
import { JSDOM } from 'jsdom';
import { isObject } from '../../../../src/core/support/json.ts';
import { importsOf, readSource, sourceFiles } from '../../../support/sourceFiles.ts';
import { withFakeVsCode } from '../../../support/withFakeVsCode.ts';

/** Fake of VS Code, with a translation that tries to break out of its attribute. */
const vscode = `
  export const Uri = {
    joinPath: (base, ...names) => ({ path: [base.path, ...names].join('/') }),
  };
  export const env = { language: 'en" onload="alert(1)' };
  export const l10n = {
    bundle: { a: '</script><script>alert(1)</script>' },
    t: () => '"><img src=https://evil.test>',
  };
`;

const { pageOpener } = await withFakeVsCode(
  vscode,
  () => import('../../../../src/host/platform/page.ts'),
);
const source = 'https://file+.vscode-resource.test';

/** The pages, with the names of their scripts and styles. */
const pages = { main: 'main', usage: 'tabs', request: 'tabs' };

/** A file of the extension, as it would be read. */
const textOf = ({ path }: { readonly path: string }) => `/* ${path} */`;

function open(name: string, read?: typeof textOf) {
  const webview = {
    options: {},
    html: '',
    cspSource: source,
    onDidReceiveMessage: () => ({ dispose: () => undefined }),
    asWebviewUri: ({ path }: { readonly path: string }) => `${source}${path}`,
  };
  const openPage: unknown = Reflect.apply(pageOpener, undefined, [read]);
  assert.ok(typeof openPage === 'function');
  const port: unknown = Reflect.apply(openPage, undefined, [webview, { path: '/extension' }, name]);
  assert.ok(isObject(port));
  assert.equal(typeof port['listen'], 'function');
  return { webview, document: new JSDOM(webview.html, { url: `${source}/page` }).window.document };
}

/** The directives of the page's content security policy. */
function policyOf(document: Document): ReadonlyMap<string, string> {
  const metas = document.querySelectorAll('meta[http-equiv="Content-Security-Policy"]');
  assert.equal(metas.length, 1);
  const parts = (metas[0]?.getAttribute('content') ?? '').split('; ');
  return new Map(
    parts.map((part) => [part.split(' ')[0] ?? '', part.split(' ').slice(1).join(' ')]),
  );
}

const hosts = { 'with Node': textOf, 'in a browser': undefined };
const cases = Object.entries(hosts).flatMap(([host, read]) =>
  Object.entries(pages).map(([name, script]) => ({ host, read, name, script })),
);

for (const { host, read, name, script } of cases)
  describe(`the page of a webview ${host}, ${name}`, () => {
    it('may load from the folder of its own scripts only, and run no commands', () => {
      assert.deepEqual(open(name, read).webview.options, {
        enableScripts: true,
        enableForms: false,
        enableCommandUris: false,
        localResourceRoots: [{ path: '/extension/dist/webview' }],
      });
    });

    it('has a policy that allows its own files, and the scripts with the nonce of this load', () => {
      const { document } = open(name, read);
      const policy = policyOf(document);
      const nonce = /^'nonce-([A-Za-z0-9]{20,})'$/.exec(policy.get('script-src') ?? '')?.[1] ?? '';
      assert.notEqual(nonce, '');
      assert.deepEqual(Object.fromEntries(policy), {
        'default-src': "'none'",
        'style-src': `${source} 'nonce-${nonce}'`,
        'font-src': source,
        'script-src': `'nonce-${nonce}'`,
        'base-uri': source,
        'require-trusted-types-for': "'script'",
      });
      const [data, code, ...others] = document.querySelectorAll('script');
      assert.equal(data?.getAttribute('type'), 'application/json');
      assert.equal(code?.getAttribute('type'), 'module');
      assert.equal(code.getAttribute('nonce'), nonce);
      assert.deepEqual(others, []);
      const [style, ...otherStyles] = document.querySelectorAll('style');
      assert.equal(style?.getAttribute('nonce'), nonce);
      assert.deepEqual(otherStyles, []);
    });

    it('has or names its script and its style sheet, in the folder that it may load from', () => {
      const { document } = open(name, read);
      const folder = '/extension/dist/webview/';
      const [, code] = document.querySelectorAll('script');
      const link = document.querySelector('link');
      const style = document.querySelector('style');
      assert.equal(document.baseURI, `${source}${folder}`);
      if (read === undefined) {
        assert.equal(code?.src, `${source}${folder}${script}.js`);
        assert.equal(link?.href, `${source}${folder}${script}.css`);
      } else {
        const path = `${folder}${script}.js`;
        assert.equal(code?.textContent, `${textOf({ path })}\n//# sourceURL=${source}${path}`);
        assert.equal(style?.textContent, textOf({ path: `${folder}${script}.css` }));
        assert.equal(code.getAttribute('src'), null);
        assert.equal(link, null);
      }
    });

    it('has the translations of the window as they are', () => {
      const { document } = open(name, read);
      const texts: unknown = JSON.parse(document.getElementById('l10n')?.textContent ?? '');
      assert.deepEqual(texts, { a: '</script><script>alert(1)</script>' });
    });

    it('has another nonce each time', () => {
      const nonces = Array.from({ length: 20 }, () =>
        policyOf(open(name, read).document).get('script-src'),
      );
      assert.equal(new Set(nonces).size, 20);
    });

    it('never treats text as HTML, and contains only its own addresses', () => {
      const { document } = open(name, read);
      for (const element of document.querySelectorAll('*')) {
        for (const { name: attribute, value } of element.attributes) {
          assert.doesNotMatch(attribute, /^on/);
          if (attribute === 'src' || attribute === 'href')
            assert.ok(
              new URL(value, document.baseURI).href.startsWith(`${source}/extension/dist/webview/`),
            );
        }
      }
      assert.equal(document.querySelectorAll('img, iframe, form, object, embed').length, 0);
      assert.equal(document.documentElement.getAttribute('lang'), 'enonloadalert1');
    });
  });

describe('every webview', () => {
  const builder = 'host/platform/page.ts';
  const host = sourceFiles.filter((file) => !file.startsWith('webview/'));

  it('gets its page, its policy and its options from one place', () => {
    const others = host.filter(
      (file) =>
        file !== builder &&
        /\.html\s*=|webview\.options\s*=|enableScripts|localResourceRoots|asWebviewUri|Content-Security-Policy/.test(
          readSource(file),
        ),
    );
    assert.deepEqual(others, []);
  });

  it('is opened only through that place', () => {
    const openers = host.filter((file) =>
      /createWebviewPanel|registerWebview\w+|registerCustomEditorProvider|createWebviewTextEditorInset/.test(
        readSource(file),
      ),
    );
    assert.notEqual(openers.length, 0);
    for (const file of openers)
      assert.ok(importsOf(file, readSource(file)).includes(builder), file);
  });
});
