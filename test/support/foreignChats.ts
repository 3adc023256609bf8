/** Generates chats in the formats of other assistants from a seed, both valid and damaged ones. */

/** Texts that an imported chat must have. */
export interface ForeignChat {
  /** Contents of files by name. */
  readonly files: Readonly<Record<string, string>>;
  readonly texts: readonly string[];
  readonly isDamaged: boolean;
}

export const assistants = ['Continue', 'Cline', 'Roo Code', 'VS Code', 'VS Code log'] as const;
export type Assistant = (typeof assistants)[number];

/** A random number generator from 0 up to 1, repeatable by its seed. */
function numbersFrom(seed: number): () => number {
  let state = seed * 2_654_435_761 + 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Exchange {
  readonly message: string;
  readonly reply: string;
  readonly command: string;
  readonly at: number;
}

function exchangesOf(seed: number, next: () => number): readonly Exchange[] {
  return Array.from({ length: 1 + Math.floor(next() * 4) }, (_, at) => ({
    message: `Message ${seed}-${at}: why “ü”, ${next().toFixed(5)}?`,
    reply: `Reply ${seed}-${at}:\n\n\`\`\`ts\nconst answer = ${Math.floor(next() * 1000)};\n\`\`\``,
    command: `echo ${seed}-${at}`,
    at: 1_700_000_000_000 + seed * 1000 + at,
  }));
}

/** A chat with its files. Every second one is damaged, each in another way. */
export function foreignChat(assistant: Assistant, seed: number): ForeignChat {
  const next = numbersFrom(seed);
  const exchanges = exchangesOf(seed, next);
  const isDamaged = seed % 2 === 1;
  const name = fileNameOf(assistant, seed);
  const sound = textOf(assistant, exchanges, seed);
  const texts = exchanges.flatMap(({ message, reply, command }) => [message, reply, command]);
  return { files: { [name]: isDamaged ? damaged(sound, next) : sound }, texts, isDamaged };
}

function fileNameOf(assistant: Assistant, seed: number): string {
  const id = `00000000-0000-4000-8000-${String(seed).padStart(12, '0')}`;
  switch (assistant) {
    case 'Continue':
    case 'VS Code':
      return `${id}.json`;
    case 'VS Code log':
      return `${id}.jsonl`;
    case 'Cline':
    case 'Roo Code':
      return `${1_700_000_000_000 + seed}/api_conversation_history.json`;
  }
}

function textOf(assistant: Assistant, exchanges: readonly Exchange[], seed: number): string {
  switch (assistant) {
    case 'Continue':
      return JSON.stringify(continueSession(exchanges, seed));
    case 'Cline':
    case 'Roo Code':
      return JSON.stringify(exchanges.flatMap(clineMessages));
    case 'VS Code':
      return JSON.stringify(vsCodeSession(exchanges));
    case 'VS Code log': {
      const [first, ...more] = vsCodeSession(exchanges).requests;
      const whole = { version: 3, sessionId: `s${seed}`, requests: [{ ...first, response: [] }] };
      const lines: readonly object[] = [
        { kind: 0, v: whole },
        { kind: 1, k: ['customTitle'], v: `Title ${seed}` },
        { kind: 2, k: ['requests', 0, 'response'], v: first?.response ?? [], i: 0 },
        ...more.map((request) => ({ kind: 2, k: ['requests'], v: [request] })),
      ];
      return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    }
  }
}

function continueSession(exchanges: readonly Exchange[], seed: number): object {
  const history = exchanges.flatMap(({ message, reply, command }, at) => [
    {
      message: {
        role: 'user',
        content: at % 2 === 0 ? message : [{ type: 'text', text: message }],
      },
      contextItems: [{ name: 'a.ts', description: 'src/a.ts', content: 'a();', id: {} }],
      editorState: { type: 'doc' },
    },
    { message: { role: 'thinking', content: 'Thinking …' }, contextItems: [] },
    {
      message: {
        role: 'assistant',
        content: reply,
        toolCalls: [
          {
            id: `call_${at}`,
            type: 'function',
            function: { name: 'run_terminal_command', arguments: JSON.stringify({ command }) },
          },
        ],
      },
      contextItems: [],
      promptLogs: [],
    },
    { message: { role: 'tool', content: 'done', toolCallId: `call_${at}` }, contextItems: [] },
  ]);
  return {
    sessionId: `s${seed}`,
    title: `Title ${seed}`,
    workspaceDirectory: 'file:///w',
    history,
  };
}

function clineMessages({ message, reply, command, at }: Exchange, index: number): object[] {
  const details = '<environment_details>\n# Files\na.ts\n</environment_details>';
  const task = index === 0 ? `<task>\n${message}\n</task>` : message;
  const result = { type: 'tool_result', tool_use_id: `t${index}`, content: 'done' };
  return [
    {
      role: 'user',
      content: [
        ...(index === 0 ? [] : [result]),
        { type: 'text', text: task },
        { type: 'text', text: details },
      ],
      ts: at,
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: reply },
        { type: 'tool_use', id: `t${index + 1}`, name: 'execute_command', input: { command } },
      ],
      ts: at,
    },
  ];
}

function vsCodeSession(exchanges: readonly Exchange[]) {
  return {
    requesterUsername: 'someone',
    responderUsername: 'Assistant',
    requests: exchanges.map(({ message, reply, command, at }) => ({
      requestId: `request_${at}`,
      message: { text: message, parts: [{ kind: 'text', text: message }] },
      variableData: { variables: [] },
      response: [
        { kind: 'thinking', value: 'Thinking …' },
        { kind: 'toolInvocationSerialized', pastTenseMessage: { value: `Ran ${command}` } },
        { value: reply.slice(0, 8), isTrusted: false },
        { value: reply.slice(8) },
        { kind: 'inlineReference', inlineReference: { path: '/w/src/a.ts', scheme: 'file' } },
      ],
      timestamp: at,
      modelId: 'some/model',
    })),
  };
}

/** Cuts a text, overwrites a piece of it, or changes its shape. */
function damaged(text: string, next: () => number): string {
  const at = 1 + Math.floor(next() * (text.length - 2));
  switch (Math.floor(next() * 5)) {
    case 0:
      return text.slice(0, at);
    case 1:
      return `${text.slice(0, at)}\0\0\0${text.slice(at)}`;
    case 2:
      return '';
    case 3:
      return text.replaceAll(/"(?:history|requests|role|response|content|message)":/g, '"other":');
    default:
      return `${text}${text}`.slice(at);
  }
}
