import { posix } from 'node:path';
import { sourceFiles } from './sourceFiles.ts';

/** A folder of `src`, or a file directly in it. */
export interface Layer {
  readonly holds: string;
  /** Other folders, files and packages that its files may import. */
  readonly imports: readonly string[];
  /** Imports that all folders of the same runtime share, so the map omits them here. */
  readonly shared?: readonly string[];
}

/** Imports that every folder of the view may have. */
const view = ['protocol', 'core/conversation', 'core/support', 'preact', '@preact', '@vscode/l10n'];
/** Imports that every folder of the host may have. */
const host = ['core', 'protocol', 'vscode', 'zod', '../media'];
/** Files at the root of `host` that build the others, so no folder may import them. */
const composition = ['host/main.ts', 'host/activation.ts'];
/** The other files there. All its folders may import them, but they may not import the folders. */
const filesOfHost = filesIn('host').filter((file) => !composition.includes(file));

/** Folders of `core`, which use neither VS Code nor Node nor a page. */
const coreLayers: Readonly<Record<string, Layer>> = {
  'core/support': {
    holds: 'words without a subject: events, clock, JSON, text, redaction',
    imports: [],
  },
  'core/conversation': {
    holds: 'what a conversation is, its events, and `reduce`, the only place that changes it',
    imports: ['core/support', 'zod'],
  },
  'core/service': {
    holds: 'the client of the service: its stream, retries, what models refuse, prices, errors',
    imports: ['core/support', 'core/conversation', 'eventsource-parser', 'zod'],
  },
  'core/files': {
    holds: 'files: what a path really names, bytes as text, searches, ignore rules',
    imports: ['core/support', 'zod'],
  },
  'core/edits': {
    holds: 'changes of a text: search and replace, diffs, a change under review, notebooks as text',
    imports: ['core/support', 'diff'],
  },
  'core/history': {
    holds: 'saved chats: titles, as files and as Markdown, finding words in them',
    imports: ['core/support', 'core/conversation', 'zod'],
  },
  'core/tools': {
    holds: 'what a tool is, the toolbox, results, what commands print and how they end',
    imports: ['core/support', 'core/conversation', 'core/edits', 'zod'],
  },
  'core/approval': {
    holds: 'the gate, the policy, grants, protected files, secrets',
    imports: ['core/support', 'core/conversation', 'core/files', 'core/edits', 'core/tools', 'zod'],
  },
  'core/code': {
    holds: 'commands on code and their prompts; code taken from a reply and placed',
    imports: [
      'core/support',
      'core/conversation/mode.ts',
      'core/edits',
      'core/service/thinkSplitter.ts',
      'core/approval',
      'core/service/wire.ts',
      'yaml',
      'zod',
      '@vscode/l10n',
    ],
  },
  'core/turn': {
    holds: 'a conversation as a request, and a turn from the message to its end',
    imports: ['core'],
  },
};

const hostLayers: Readonly<Record<string, Layer>> = {
  host: {
    holds: 'the ids of everything that VS Code shows',
    imports: host,
    shared: filesOfHost,
  },
  'host/platform': hostLayer(
    'settings, dialogs, the log, pages, kept files, files of the workspace, Git',
    [],
  ),
  'host/usage': hostLayer('token counts, budgets, the status bar, the tab with the usage', [
    'platform',
  ]),
  'host/approval': hostLayer('who is asked, and how', ['platform']),
  'host/review': hostLayer('reviews in the diff editor', ['platform', 'approval']),
  'host/service': hostLayer("address, key, models; the models for VS Code's own chat", [
    'platform',
    'usage',
    'approval',
  ]),
  'host/context': hostLayer(
    'which files may be sent, which instruct the model, presets, consents',
    ['platform', 'approval', 'review'],
  ),
  'host/tools': hostLayer('the tools, a file each; changes of files, undo and redo; terminals', [
    'platform',
    'approval',
    'review',
    'context',
  ]),
  'host/attachments': hostLayer("what can be attached, and the composer's state", [
    'platform',
    'approval',
    'review',
    'service',
    'context',
    'tools',
  ]),
  'host/editor': hostLayer(
    'commands on code, commit messages, comments on changes, buttons on code in replies',
    ['platform', 'usage', 'approval', 'review', 'service', 'context', 'tools'],
  ),
  'host/chat': hostLayer(
    'open chats, their journals and their pages; saved chats; the tab with the next request',
    [
      'platform',
      'usage',
      'approval',
      'review',
      'service',
      'context',
      'tools',
      'attachments',
      'editor',
    ],
  ),
  'host/node': {
    holds: 'everything that says `node:`',
    imports: ['host', 'core', 'protocol', 'vscode', 'zod', 'node:'],
  },
};

const viewLayers: Readonly<Record<string, Layer>> = {
  webview: { holds: 'the root of the page', imports: ['webview'], shared: view },
  'webview/state': {
    holds: "the view's copy of the conversation, the draft, the connection to the host",
    imports: view,
  },
  'webview/parts': viewLayer('controls that several components share', ['state']),
  'webview/markdown': {
    holds: 'model text becomes DOM, here and nowhere else',
    imports: [
      'core/support',
      'markdown-it',
      'markdown-it-cjk-friendly',
      'temml',
      '@codemirror',
      '@vscode/l10n',
    ],
  },
  'webview/composer': viewLayer('the field with what is around it', ['state', 'parts']),
  'webview/pages': viewLayer('the pages of the tabs: usage, the next request', ['state', 'parts']),
  'webview/transcript': viewLayer('turns, replies, tool calls, scrolling, find', [
    'state',
    'parts',
    'markdown',
    'markdown.ts',
    'composer',
  ]),
};

/**
 * Allowed imports of each folder of `src`: other folders and packages. The longest matching folder
 * applies to a file.
 */
export const layers: Readonly<Record<string, Layer>> = {
  ...coreLayers,
  local: {
    holds: 'the service itself, in process: for the demo, the tests and `npm start`',
    imports: ['core/service/address.ts', 'core/service/wire.ts', 'core/support', 'zod'],
  },
  'local/demo': {
    holds: 'what the demo knows of its sample workspace, and what it replies',
    imports: ['core/support', 'zod'],
  },
  protocol: {
    holds: 'what the host and the view tell each other',
    imports: ['core/conversation', 'core/support', 'zod'],
  },
  ...hostLayers,
  ...viewLayers,
  'host/main.ts': {
    holds: 'builds every object of a window, from top to bottom',
    imports: ['core', 'local/demo.ts', 'protocol', 'vscode'],
    // `extension.ts` passes in everything that needs Node; in a browser it is absent.
    shared: [...filesOfHost, ...foldersWithoutNode()],
  },
  'host/activation.ts': {
    holds: 'what a window has at once; the rest is loaded at first use',
    imports: ['core', 'vscode'],
    shared: [...filesOfHost, ...foldersWithoutNode(), 'host/main.ts'],
  },
  'browser.ts': {
    holds: '`activate` in a browser',
    imports: ['host/main.ts', 'host/activation.ts', 'vscode'],
  },
  'extension.ts': {
    holds: '`activate` with Node',
    imports: ['browser.ts', 'host/node/platform.ts', 'host/activation.ts', 'vscode', 'node:fs'],
  },
};

function hostLayer(holds: string, folders: readonly string[]): Layer {
  const imports = folders.map((folder) => `host/${folder}`);
  return { holds, imports, shared: [...host, ...filesOfHost] };
}

function viewLayer(holds: string, folders: readonly string[]): Layer {
  return { holds, imports: folders.map((folder) => `webview/${folder}`), shared: view };
}

/** Files directly in a folder. */
function filesIn(folder: string): readonly string[] {
  return sourceFiles.filter((file) => posix.dirname(file) === folder);
}

/** Folders of the host that run in a browser. */
function foldersWithoutNode(): readonly string[] {
  return Object.keys(hostLayers).filter((folder) => folder !== 'host' && folder !== 'host/node');
}

/** The table as Markdown. Sibling folders are named without their parent. */
export function mapLines(): readonly string[] {
  const rows = Object.entries(layers).map(([folder, { holds, imports }]) => {
    const parent = folder.includes('/') ? posix.dirname(folder) : folder;
    const names = imports.map((name) =>
      posix.dirname(name) === parent ? posix.basename(name) : name,
    );
    return `| \`${folder}\` | ${holds} | ${names.join(', ') || '–'} |`;
  });
  return ['| folder | holds | may import |', '| --- | --- | --- |', ...rows];
}
