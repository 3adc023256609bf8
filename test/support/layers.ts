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
const composition = ['host/main.ts', 'host/createChat.ts', 'host/activation.ts'];
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
  'core/reply': {
    holds: 'what a service replies: bytes to events, events to text and calls, errors',
    imports: ['core/support', 'core/conversation', 'eventsource-parser'],
  },
  'core/service': {
    holds: 'the client of the service: wire format, transport, retries, what models refuse',
    imports: ['core/support', 'core/conversation', 'core/reply', 'zod'],
  },
  'core/workspace': {
    holds: 'paths and files: what a path really names, what the bytes of a file are',
    imports: ['core/support', 'zod'],
  },
  'core/search': {
    holds: 'searches over files: names, text, globs, ignore rules',
    imports: ['core/support', 'core/workspace'],
  },
  'core/edits': {
    holds: 'search and replace in a text, diffs, line endings, indentation, notebooks as text',
    imports: ['core/support', 'diff'],
  },
  'core/history': {
    holds: 'saved chats: titles, as files and as Markdown, finding words in them',
    imports: ['core/support', 'core/conversation', 'zod'],
  },
  'core/tools': {
    holds: 'what a tool is, the toolbox, results, tools of other extensions',
    imports: ['core/support', 'core/conversation', 'core/edits', 'zod'],
  },
  'core/terminal': {
    holds: 'commands: what they print, which processes they start, how they end',
    imports: ['core/support', 'core/conversation', 'core/tools'],
  },
  'core/approval': {
    holds: 'the gate, the policy, grants, protected files, the text of dialogs',
    imports: [
      'core/support',
      'core/conversation',
      'core/workspace',
      'core/search',
      'core/edits',
      'core/tools',
      'core/terminal',
      'zod',
    ],
  },
  'core/review': {
    holds: 'a change under review: its hunks, kept apart from the file and moved with it',
    imports: ['core/support', 'core/edits'],
  },
  'core/code': {
    holds: 'commands on code and their prompts; code taken from a reply and placed',
    imports: [
      'core/support',
      'core/conversation/mode.ts',
      'core/edits',
      'core/reply/thinkSplitter.ts',
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
    holds: 'what all of the host needs: ids, settings, errors, dialogs, the log, kept files',
    imports: host,
    shared: filesOfHost,
  },
  'host/workspace': hostLayer('files, symbols, selection, Git, read-only documents', []),
  'host/usage': hostLayer('token counts, budgets, the status bar, the tab with the usage', [
    'workspace',
  ]),
  'host/connection': hostLayer('address, key, models', ['workspace', 'usage']),
  'host/provider': hostLayer("the models for VS Code's own chat and other extensions", [
    'workspace',
    'usage',
    'connection',
    'approval',
  ]),
  'host/approval': hostLayer('who is asked, and how', ['workspace']),
  'host/context': hostLayer('which files may be sent, which instruct the model, and consents', [
    'workspace',
    'approval',
    'review',
  ]),
  'host/terminal': hostLayer('terminals, and the commands in them', ['workspace']),
  'host/review': hostLayer('reviews in the diff editor', ['workspace', 'approval']),
  'host/changes': hostLayer('files that turns change: their review, undo, redo', [
    'workspace',
    'approval',
    'review',
  ]),
  'host/tools': hostLayer('the tools, a file each, and their list', [
    'workspace',
    'approval',
    'context',
    'terminal',
    'review',
    'changes',
  ]),
  'host/code': hostLayer('commands on code, prompt files, buttons on code in replies', [
    'workspace',
    'connection',
    'approval',
    'context',
    'terminal',
    'review',
    'usage',
  ]),
  'host/commit': hostLayer('commit messages', ['workspace', 'connection', 'context', 'code']),
  'host/comments': hostLayer('comments of a model on changes, in the editor', [
    'workspace',
    'connection',
    'context',
    'code',
    'commit',
  ]),
  'host/presets': hostLayer('presets: which there are, and which one a chat has', [
    'workspace',
    'context',
  ]),
  'host/attachments': hostLayer("what can be attached, and the composer's state", [
    'workspace',
    'connection',
    'context',
    'presets',
    'terminal',
    'review',
    'tools',
  ]),
  'host/journal': hostLayer('journals of chats: written, read again, moved to a copy', []),
  'host/chat': hostLayer('open chats, with their settings and requests', [
    'journal',
    'workspace',
    'usage',
    'connection',
    'approval',
    'context',
    'changes',
    'code',
    'attachments',
    'presets',
  ]),
  'host/panel': hostLayer('the places that show chats, and the commands on the chat in focus', [
    'workspace',
    'usage',
    'connection',
    'context',
    'code',
    'chat',
  ]),
  'host/history': hostLayer('saved chats: list, search, names, export, import, trash', [
    'workspace',
    'connection',
    'journal',
    'chat',
    'changes',
  ]),
  'host/request': hostLayer('the tab with the next request; shortening a chat', [
    'workspace',
    'usage',
    'connection',
    'code',
    'chat',
  ]),
  'host/help': hostLayer('the list of keys, and the steps of the walkthrough', ['workspace']),
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
  'webview/scroll': viewLayer('scrolling, and which turns are in the page', ['state']),
  'webview/parts': viewLayer('controls that several components share', ['state']),
  'webview/find': viewLayer('find in the chat', ['state', 'scroll', 'parts']),
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
  'webview/tools': viewLayer('tool calls and changed files', ['state', 'parts']),
  'webview/usage': viewLayer('the page of the tab with the usage', ['state', 'parts']),
  'webview/request': viewLayer('the page of the tab with the next request', ['usage']),
  'webview/transcript': viewLayer('turns and replies', [
    'state',
    'scroll',
    'parts',
    'find',
    'markdown',
    'markdown.ts',
    'tools',
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
    imports: ['core/service/wire.ts', 'core/support', 'zod'],
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
    shared: [...filesOfHost, ...foldersWithoutNode(), 'host/createChat.ts'],
  },
  'host/createChat.ts': {
    holds: 'builds a chat',
    imports: ['core', 'protocol', 'vscode'],
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
