import type { ApprovalRequest, FileChange } from '../../../src/core/conversation/conversation.ts';
import { chatOf, chatState, type ChatState, runningChat, toolPart, turnTime } from './chatParts.ts';
import type { PagePerson } from './pageState.ts';

const request: ApprovalRequest = {
  by: 'panel',
  forChat: true,
  files: [
    { path: 'src/app.ts', kind: 'edit', addedLines: 3, removedLines: 1 },
    { path: 'src/a/long/path/to/a/file.ts', kind: 'edit', addedLines: 40, removedLines: 0 },
  ],
};
const untracked: ApprovalRequest = {
  ...request,
  forChat: false,
  untracked: true,
  files: [
    { path: 'src/app.ts', kind: 'edit', addedLines: 3, removedLines: 1 },
    { path: 'src/a/long/path/to/a/new/file.ts', kind: 'create', addedLines: 40, removedLines: 0 },
  ],
};
const change: FileChange = {
  id: 'a',
  path: 'src/app.ts',
  kind: 'edit',
  status: 'changed',
  addedLines: 3,
  removedLines: 1,
};
const changes: readonly FileChange[] = [
  change,
  { ...change, id: 'b', path: 'src/a/long/path/to/new.ts', kind: 'create', removedLines: 0 },
  { ...change, id: 'c', path: 'test/kept.ts', status: 'kept' },
  { ...change, id: 'd', path: 'test/undone.ts', status: 'undone' },
];
const running = { startedAt: turnTime, endedAt: undefined, result: undefined };

const unfoldCalls = (person: PagePerson): Promise<void> => person.unfold('.tool-calls');

/** Tool calls, approvals, and changed files. */
export const toolStates: readonly ChatState[] = [
  chatState('tool calls', ['.tool-call.done .tool-text', '.tool-text.failed'], {
    conversation: chatOf({
      parts: [
        toolPart('a', { grant: 'Allowed in this chat' }),
        toolPart('b', { status: 'failed', result: 'There is no such file.' }),
        toolPart('c', { status: 'denied', result: 'The person denied it.' }),
        toolPart('d', { status: 'stopped', result: '' }),
      ],
    }),
    act: unfoldCalls,
  }),
  chatState('many tool calls', ['.fold .tool-title'], {
    conversation: chatOf({
      parts: ['a', 'b', 'c', 'd', 'e', 'f'].map((id) =>
        toolPart(id, { arguments: `{"path":"${id}.ts"}` }),
      ),
    }),
  }),
  chatState('running tools', ['.tool-call.running', '.tool-call.waiting'], {
    conversation: runningChat({
      status: 'calling',
      parts: [
        toolPart('a', { ...running, status: 'running', output: 'compiling…\nstill' }),
        toolPart('b', { ...running, status: 'waiting', startedAt: undefined }),
        toolPart('c', {
          ...running,
          status: 'asking',
          name: 'run_command',
          title: 'Run npm test',
          question: { by: 'dialog', forChat: false, files: [] },
        }),
      ],
    }),
    act: unfoldCalls,
  }),
  chatState('approval', ['.tool-question .button'], {
    conversation: runningChat({
      status: 'calling',
      parts: [
        toolPart('a', {
          ...running,
          name: 'edit_file',
          title: 'Edit src/app.ts',
          icon: 'edit',
          status: 'asking',
          question: request,
        }),
      ],
    }),
  }),
  chatState(
    'approval of untracked files',
    ['.tool-question .button', '.tool-question .tool-note'],
    {
      conversation: runningChat({
        status: 'calling',
        parts: [
          toolPart('a', {
            ...running,
            name: 'rename_symbol',
            title: 'Rename start to begin',
            icon: 'edit',
            status: 'asking',
            question: untracked,
          }),
        ],
      }),
    },
  ),
  chatState('processes left running', ['.tool-question .tool-note', '.tool-question .button'], {
    conversation: chatOf({
      status: 'stopped',
      parts: [
        toolPart('a', {
          name: 'run_command',
          title: 'Run npm run dev & node server.mjs',
          status: 'stopped',
          result: undefined,
          leftRunning: [{ id: 4711, started: '', name: 'node /usr/bin/npm run dev' }],
        }),
      ],
    }),
  }),
  chatState('changed files', ['.changed-files .file-list'], { conversation: chatOf({ changes }) }),
  chatState('paused', ['.outcome.paused'], {
    conversation: runningChat({
      status: 'paused',
      pause: { reason: 'repeat', tool: 'read_file' },
      parts: [toolPart('a')],
    }),
  }),
];
