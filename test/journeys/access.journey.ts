import assert from 'node:assert/strict';
import { request } from 'node:http';
import { join } from 'node:path';
import { TemporaryFolder } from '../support/temporaryFolder.ts';
import { hostName, hosts } from '../support/vscode/hosts.ts';
import { VsCodeServer } from '../support/vscode/vsCodeServer.ts';
import { journey } from './support/journey.ts';

/** The status that a server responds with, even to a socket that it would open. */
function statusOf(
  address: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    const asked = request(address, { headers, agent: false });
    asked.on('upgrade', ({ statusCode = 0 }, socket) => {
      socket.destroy();
      resolve(statusCode);
    });
    asked.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject);
    asked.end();
  });
}

const socket = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
};
const paths = {
  file: '/vscode-remote-resource?path=%2Fetc%2Fhosts',
  socket: '/?reconnectionToken=a',
};

/** A window has a terminal, so a page or a user without its token must get none. */
describe('journey: access to a window', () => {
  const options = { freshWindow: true };
  journey(
    'a request without the token of the address is refused',
    options,
    async ({ workbench }) => {
      const { origin } = new URL(workbench.page.url());
      const [cookie] = await workbench.page.context().cookies(origin);
      assert.ok(cookie);
      const known = { cookie: `${cookie.name}=${cookie.value}` };
      const wrong = { cookie: `${cookie.name}=${cookie.value.slice(1)}0` };
      assert.equal(await statusOf(origin + paths.socket, { ...socket, ...known }), 101);
      for (const headers of [{}, wrong]) {
        assert.equal(await statusOf(origin + paths.socket, { ...socket, ...headers }), 401);
        assert.equal(await statusOf(origin + paths.file, headers), 401);
        // To a page that asks for a password, which nobody knows.
        assert.equal(await statusOf(`${origin}/?folder=%2F`, headers), 302);
      }
      assert.equal(await statusOf(`${origin}/?folder=%2F&tkn=${cookie.value}`), 302);
    },
  );

  it('the same holds for the servers of tests, and for a wrong token', async () => {
    const folder = await TemporaryFolder.create();
    const { age } = hosts[hostName];
    const [userDataFolder, extensionsFolder] = [
      join(folder.path, 'user'),
      join(folder.path, 'all'),
    ];
    try {
      for (const kind of ['tests', 'code-server'] as const) {
        const server = await VsCodeServer.start({ kind, age, userDataFolder, extensionsFolder });
        try {
          const address = new URL(server.windowAddress(folder.path));
          assert.ok([302, 303].includes(await statusOf(address.href)));
          address.searchParams.set('tkn', '0'.repeat(64));
          assert.equal(await statusOf(address.href), 403);
          address.searchParams.delete('tkn');
          assert.equal(await statusOf(address.href), 403);
        } finally {
          await server.stop();
        }
      }
    } finally {
      await folder.dispose();
    }
  });
});
