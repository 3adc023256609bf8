import {
  demoDisclaimer,
  findNames,
  languageName,
  countLines,
  type ParsedMessage,
} from './demoAttachments.ts';
import { longText, codeSample, listSample, markdownSample, tableSample } from './demoSamples.ts';
import type { ScriptedReply } from './scriptedReply.ts';

interface Topic {
  readonly pattern: RegExp;
  readonly text: string;
}

/** The first topic that matches is used. */
const topics: readonly Topic[] = [
  { pattern: /\bmarkdown\b/i, text: markdownSample },
  { pattern: /\btable\b/i, text: tableSample },
  {
    pattern: /\b(?:bullet|numbered|a|to-?do) list\b|\bas (?:a )?list\b|\bsteps\b/i,
    text: listSample,
  },
  {
    pattern: /\b(?:write|show|give)\b.*\b(?:code|function|program|script|example)\b/i,
    text: codeSample,
  },
  {
    pattern: /\bfaults?\b|\berrors?\b.*\b(?:try|test|show)\b/i,
    text: `This demo can fail on purpose, so you can see what happens. Send one of these:

| Message | What happens |
|---|---|
| \`/fault cut\` | the reply ends in the middle |
| \`/fault socket\` | the connection breaks in the middle |
| \`/fault stall\` | nothing more arrives: press Stop |
| \`/fault slow\` | four tokens per second |
| \`/fault malformed\` | a broken event within the reply |
| \`/fault error\` | the model reports an error halfway through |
| \`/fault empty\` | a reply without text |
| \`/fault no-usage\` | no token counts |
| \`/fault html\`, \`/fault blank\` | a web page, or nothing, instead of a reply |
| \`/fault early-finish\` | every piece claims to be the last |
| \`/fault page\` | a web page with status 404, as from a proxy |
| \`/fault quota\` | the quota of the key is used up |
| \`/fault redirect\` | a redirect to another host |
| \`/fault silence\`, \`/fault refused\` | no response, no connection |
| \`/fault 429 2\` | the first two attempts hit the rate limit |
| \`/fault 503 4\` | four attempts fail; 401, 402 and other statuses work too |

A number after \`cut\`, \`socket\`, \`stall\`, \`malformed\` or \`error\` is the number of characters before it happens.`,
  },
  {
    pattern: /\b(?:api )?keys?\b|\bconnect\b|\bsign in\b|\bset ?up\b/i,
    text: `To connect Aside to your service:

1. Run **Aside: Connect to a Service…** from the Command Palette.
2. Paste the base URL, up to and including \`/v1\`.
3. Paste your API key. It starts with \`sk-\` and is checked before it is stored.
4. Select a model.

The key is kept in VS Code's secret storage and is sent only to the host you entered it for.`,
  },
  {
    pattern: /\bmodels?\b/i,
    text: `Click the model button below the message box, or run **Aside: Select Model…**. The list comes from the service, grouped by provider. The change applies from your next message on, so you can start with a small model and switch to a large one when it matters.

This demo has a model that shows its thinking (\`deepseek/reasoner\`), one that puts its thoughts in tags (\`qwen/thinker-32b\`), one that takes images (\`mistral/mistral-large\`) and one that can't use tools (\`google/gemma-9b\`).`,
  },
  {
    pattern: /\btokens?\b|\bcosts?\b|\bprices?\b|\bbudget\b|\busage\b|\bcached?\b/i,
    text: `The service charges by token, and a token is about four characters. Every message includes the conversation so far, so a long chat costs more with each message. Start a **New Chat** when the topic changes.

The status bar shows the tokens of this session. Click it for prompt, cached and completion tokens of this chat, this session and today.`,
  },
  {
    pattern: /\bstop\b|\bcancel\b|\bcontinue\b/i,
    text: 'Press **Stop** at any time. The connection is closed at once, and the text received so far is kept. If a reply was stopped, cut off, or too long, press **Continue** below it to pick up exactly where it ended.',
  },
  {
    pattern: /\bprivacy\b|\bprivate\b|\bsecure\b|\bsafe\b|\bsend\b.*\bdata\b/i,
    text: "Aside sends your messages and the code you attach only to the service you connected. The key leaves VS Code's secret storage only in requests to its own host. In this demo, nothing leaves your computer.",
  },
  {
    pattern:
      /\bselect(?:ion|ed)?\b|\battach|\bmy code\b|\bthis (?:file|code|function)\b|\bexplain\b/i,
    text: `Select code in the editor, then:

- **Aside: Explain** explains what it does,
- **Aside: Add to Chat** attaches it to your next message,
- **Attach…** in the composer adds whole files.

Without a selection, Explain uses the function or class around the cursor.`,
  },
  {
    pattern: /\btemperature\b|\btop_?p\b|\bmax_?tokens\b|\boptions?\b|\bjson\b|\bsettings?\b/i,
    text: `**Options** in the composer apply to this chat:

- *Precise*, *Balanced* or *Creative*, or an exact temperature from 0 to 2,
- \`top_p\`, the maximum number of tokens in a reply, and stop sequences,
- a reply as validated JSON.

Options you leave empty aren't sent. The settings that start with \`aside.\` are the defaults for every chat.`,
  },
  {
    pattern:
      /\bwhat (?:can|do|does|is|are)\b.*\b(?:you|aside|this|it)\b|\bhelp\b|\bwho are you\b|\bfeatures?\b/i,
    text: `I’m **Aside**, a chat beside your code. I can:

- reply to messages while you keep typing,
- explain the code that you select,
- stream replies as Markdown, with code that you can copy or insert,
- work with any model of your service, and switch between them,
- show what each reply costs in tokens.

Right now you are talking to the built-in demo, which needs no key and no network. Ask “how do I connect?” when you want real replies, or try “show me markdown”.`,
  },
  {
    pattern: /^\W*(?:hello|hi|hey|good (?:morning|evening|afternoon))\b/i,
    text: 'Hello! I’m the **Aside** demo. Ask me “what can you do?”, select some code and run **Aside: Explain**, or say “show me markdown” to see what replies look like.',
  },
  {
    pattern: /\bthank/i,
    text: 'You’re welcome! Ask “how do I connect?” when you’re ready for a real model.',
  },
];

/** The reply to a message without attachments. */
export function topicReply(question: string): ScriptedReply {
  if (question === '') return { content: 'Ask me something, for example “what can you do?”.' };
  const long = requestedWords(question);
  if (long > 0) return { content: longText(long) };
  const topic = topics.find(({ pattern }) => pattern.test(question));
  return { content: topic?.text ?? fallback(question) };
}

/** Requested number of words of a reply; 0 if none is given. */
function requestedWords(question: string): number {
  const count = /\b(\d{1,3}(?:[, ]?\d{3}){0,4}|\d+) words\b/i.exec(question)?.[1];
  if (count !== undefined) return Math.min(20_000, Number(count.replace(/[, ]/g, '')));
  return /\blong (?:reply|answer|text|story|essay)\b|^\W*long\W*$/i.test(question) ? 1500 : 0;
}

function fallback(question: string): string {
  const [line = ''] = question.split('\n');
  const quoted = line.length > 160 ? `${line.slice(0, 160)}…` : line;
  return `> ${quoted}

I have no script for that. With a service connected, a model would reply from its knowledge and the code you attach. Here you can see how Aside works:

- “what can you do?” explains what Aside is for,
- “how do I connect?” gets you to real replies,
- “show me markdown”, “write 3000 words” or “show the faults” let you try out the panel.

${demoDisclaimer}`;
}

/** The reply as one JSON object. */
export function jsonReply({ question, attachments }: ParsedMessage): ScriptedReply {
  const files = attachments.map((attachment) => ({
    path: attachment.path,
    language: languageName(attachment),
    lines: countLines(attachment.code),
    defines: findNames(attachment.code).map(({ kind, name }) => ({ kind, name })),
  }));
  const value =
    files.length > 0
      ? { message: question, files, demo: true }
      : { message: question, reply: topicReply(question).content, demo: true };
  return { content: JSON.stringify(value, null, 2) };
}
