import * as vscode from 'vscode';
import * as z from 'zod/mini';

/** The keybindings in `package.json`, read so that the text can't name other keys. */
const manifestSchema = z.object({
  contributes: z.object({
    keybindings: z.array(
      z.object({
        command: z.string(),
        key: z.string(),
        mac: z.optional(z.string()),
        when: z.optional(z.string()),
        args: z.optional(z.object({ at: z.optional(z.string()) })),
      }),
    ),
  }),
});

/** Describes a keybinding of `package.json`. */
interface KeyDescription {
  readonly command: string;
  /** A part of the `when` clause, if a command has several keys. */
  readonly when?: string;
  /** `args.at` */
  readonly at?: string;
  readonly text: string;
}

/**
 * `aside.help`: the keys, the parts and the places of Aside, for reading line by line with a screen
 * reader. It is Markdown without marks inside lines, so that it is also readable as plain text. VS
 * Code doesn't tell extensions which keys the person chose, so these are the keys of
 * `package.json`, and the text explains where to see the actual ones.
 *
 * @param manifest the parsed `package.json`
 */
export function helpText(manifest: unknown): string {
  const { keybindings } = manifestSchema.parse(manifest).contributes;
  const keys = (described: readonly KeyDescription[]): readonly string[] =>
    described.flatMap(({ command, when = '', at, text }) =>
      keybindings
        .filter(
          (keybinding) =>
            keybinding.command === command &&
            keybinding.args?.at === at &&
            keybinding.when?.includes(when) !== false,
        )
        .map(({ key, mac = key }) => keyLine(text, key, mac)),
    );
  const [streaming, open] = ['aside.reviewStreaming', 'aside.reviewOpen'] as const;
  const [accept, reject] = ['aside.acceptEdit', 'aside.rejectEdit'] as const;
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    [
      vscode.l10n.t('Getting Started'),
      [
        vscode.l10n.t(
          'Aside is a chat with the models of a service. To connect one, run "Aside: Connect to a Service…"; to look around without one, run "Aside: Try the Demo Service".',
        ),
        vscode.l10n.t('To go through the first steps one by one, run "Aside: Open Walkthrough".'),
        vscode.l10n.t(
          'All commands are in the Command Palette (F1). Their names begin with "Aside".',
        ),
        vscode.l10n.t(
          'The keys below are the defaults. To see or change yours, run "Preferences: Open Keyboard Shortcuts" and search for "aside".',
        ),
      ],
    ],
    [
      vscode.l10n.t('Keyboard Shortcuts: Window'),
      keys([
        { command: 'aside.chat.focus', text: vscode.l10n.t('Go to the chat') },
        { command: 'aside.addToChat', text: vscode.l10n.t('Add the selected code to the chat') },
        { command: 'aside.edit', text: vscode.l10n.t('Edit the selected code') },
      ]),
    ],
    [
      vscode.l10n.t('Keyboard Shortcuts: Chat'),
      // The keys that `webview/panelKeys.ts` and the composer handle.
      [
        keyLine(vscode.l10n.t('Send the message'), 'enter'),
        keyLine(vscode.l10n.t('Send the message into the running reply'), 'alt+enter'),
        keyLine(vscode.l10n.t('Start a new line in the message'), 'shift+enter'),
        vscode.l10n.t('Attach files, symbols and other context: type @ in the message'),
        vscode.l10n.t('Run a command: type / at the start of the message'),
        vscode.l10n.t('Show earlier messages, if the message is empty: Up Arrow'),
        vscode.l10n.t(
          'Go to the previous or next message of the chat: Alt+Up Arrow, Alt+Down Arrow',
        ),
        vscode.l10n.t(
          'Move a queued message, from one of its buttons: Alt+Up Arrow, Alt+Down Arrow',
        ),
        keyLine(vscode.l10n.t('Stop the reply, if nothing else is open'), 'escape'),
        keyLine(
          vscode.l10n.t(
            'Allow an edit that waits for approval, from its tool call or the empty message',
          ),
          'ctrl+enter',
          'cmd+enter',
        ),
        keyLine(vscode.l10n.t('Select a model'), 'ctrl+alt+m', 'cmd+alt+m'),
        keyLine(vscode.l10n.t('Ask in a side chat'), 'ctrl+alt+q', 'cmd+alt+q'),
        keyLine(vscode.l10n.t('Find in the chat'), 'ctrl+f', 'cmd+f'),
        keyLine(vscode.l10n.t('Go to the next match'), 'enter'),
        keyLine(vscode.l10n.t('Go to the previous match'), 'shift+enter'),
        vscode.l10n.t('Close what is open, one thing at a time: Escape'),
      ],
    ],
    [
      vscode.l10n.t('Keyboard Shortcuts: Review of an Edit'),
      [
        ...keys([
          {
            command: reject,
            when: streaming,
            text: vscode.l10n.t('Stop the edit while it is being written'),
          },
          { command: accept, when: open, text: vscode.l10n.t('Accept all changes') },
          { command: reject, when: open, text: vscode.l10n.t('Reject all changes') },
          {
            command: accept,
            when: open,
            at: 'cursor',
            text: vscode.l10n.t('Accept the change at the cursor'),
          },
          {
            command: reject,
            when: open,
            at: 'cursor',
            text: vscode.l10n.t('Reject the change at the cursor'),
          },
        ]),
        keyLine(vscode.l10n.t('Go to the next change'), 'alt+f5'),
        keyLine(vscode.l10n.t('Go to the previous change'), 'shift+alt+f5'),
        keyLine(vscode.l10n.t('Open the accessible diff viewer'), 'f7'),
      ],
    ],
    [
      vscode.l10n.t('Parts of the Chat, from Top to Bottom'),
      [
        vscode.l10n.t(
          'The log "Conversation" has the messages. Each is an article with the name "You" or "Assistant", and its buttons are at its end.',
        ),
        vscode.l10n.t(
          'Code in a reply has the buttons "Copy Code", "Apply to File" and "More Code Actions…", whose menu has "Insert at Cursor" and "New File".',
        ),
        vscode.l10n.t(
          'A tool call is a group named "Tool call" with the name of the tool. An edit that waits for approval has the buttons "Review Diff", "Allow Once" and "Deny" there.',
        ),
        vscode.l10n.t(
          'Commands, protected files and tools of other extensions are approved in a dialog of VS Code. Escape denies.',
        ),
        vscode.l10n.t(
          'A message or reply with other versions has the buttons "Previous Version" and "Next Version".',
        ),
        vscode.l10n.t(
          'Messages that wait for a reply to end are the list "Queued Messages", before the text field.',
        ),
        vscode.l10n.t(
          'The attachments of the next message are before the text field. Each has a button that removes it.',
        ),
        vscode.l10n.t('The text field is named "Message".'),
        vscode.l10n.t(
          'After it are the buttons "Attach…", "Model", "Configure" and "Send", and "Stop" while a reply is being written.',
        ),
        vscode.l10n.t(
          'Progress, finished replies and errors are announced. An error has a button that helps, for example "Try Again".',
        ),
        vscode.l10n.t(
          'VS Code\'s Accessible View doesn\'t show replies of Aside. To read one in an editor, run "Aside: Export Chat…".',
        ),
      ],
    ],
    [
      vscode.l10n.t('Where to Find Aside'),
      [
        vscode.l10n.t(
          'Activity Bar: the view Aside. "Aside: Open Chat in Editor" shows a chat in a tab, and "Aside: Open Chat…" lists the saved ones.',
        ),
        vscode.l10n.t(
          'Tab of the token usage: run "Aside: Show Token Usage". Each chart has a table with its numbers.',
        ),
        vscode.l10n.t(
          'Tab of the next request: run "Aside: Show Next Request". Each part can be expanded, excluded or pinned.',
        ),
        vscode.l10n.t(
          'Editor and cells of notebooks: the menu Aside of the context menu, and the light bulb at a problem.',
        ),
        vscode.l10n.t(
          'Explorer, editor tabs and Source Control: "Add to Chat" in the context menu.',
        ),
        vscode.l10n.t(
          'Source Control: the button "Write Commit Message", and "Review Changes" in its menu.',
        ),
        vscode.l10n.t(
          'Comments: what a review found. Each comment has buttons to fix, resolve and delete it.',
        ),
        vscode.l10n.t(
          'Terminal: "Explain Terminal Selection" and "Explain Last Terminal Command" in the context menu.',
        ),
        vscode.l10n.t(
          'Test Results: the menu Aside of the context menu of a message of a failed test.',
        ),
        vscode.l10n.t('Tasks: a notification offers to explain a task that failed.'),
        vscode.l10n.t(
          'Status Bar: the model and the tokens of this session. It opens "Aside: Show Token Usage".',
        ),
        vscode.l10n.t('Settings: search for "aside".'),
      ],
    ],
  ];
  const paragraphs = sections.map(([title, lines]) =>
    [`# ${title}`, '', ...lines.map((line) => `- ${line}`)].join('\n'),
  );
  return `${paragraphs.join('\n\n')}\n`;
}

/** Names the keys of all platforms, since the window may run on another one than the extension. */
function keyLine(text: string, key: string, mac = key): string {
  return key === mac
    ? `${text}: ${spokenKey(key)}`
    : vscode.l10n.t('{0}: {1} (Mac: {2})', text, spokenKey(key), spokenKey(mac));
}

/** `Ctrl+Alt+Enter` for `ctrl+alt+enter`. */
function spokenKey(key: string): string {
  return key.replaceAll(/[a-z]\w*/g, (word) => word.charAt(0).toUpperCase() + word.slice(1));
}
