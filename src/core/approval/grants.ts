import * as z from 'zod/mini';
import { attachmentsOf, type Conversation } from '../conversation/conversation.ts';
import type { ConversationEvent } from '../conversation/events.ts';
import type { ChatChange } from '../conversation/liveConversation.ts';
import { turnsOfAllPaths } from '../conversation/paths.ts';
import type { Clock } from '../support/clock.ts';
import type { Disposable, Event } from '../support/event.ts';
import { newId } from '../support/id.ts';
import { type Location, segmentsOf, withSegments } from '../files/places.ts';

/** The exact scope of a grant for more than one call. */
export type GrantScope =
  /** Changes of unprotected files in the workspace. */
  | { readonly type: 'edits' }
  | {
      readonly type: 'file';
      readonly file: Location;
      /** The folder of a file outside the workspace; undefined inside. */
      readonly within: KnownFolder | undefined;
    }
  | ({ readonly type: 'folder' } & KnownFolder)
  /** Running exactly this command line, in this folder and this shell. */
  | CommandScope
  /** Calling another extension's tool as long as its description is the same. */
  | { readonly type: 'tool'; readonly tool: string; readonly identity: string };

/**
 * A folder outside the workspace, with links followed. The identity detects a folder that replaced
 * it.
 */
export interface KnownFolder {
  readonly folder: Location;
  /** Device and inode; empty if they can't be determined. */
  readonly identity: string;
}

export interface CommandScope {
  readonly type: 'command';
  readonly command: string;
  readonly folder: Location;
  readonly shell: string;
}

/** `chat`: this chat in this window, in memory; `workspace`: stored for this workspace. */
type GrantLifetime = 'chat' | 'workspace';

/** A scope that the person can grant, with its lifetime. */
export type GrantOffer =
  | { readonly lifetime: 'chat'; readonly scope: GrantScope }
  | { readonly lifetime: 'workspace'; readonly scope: CommandScope };

/** Caller of a tool. A grant applies to one holder only (threats: T45). */
export interface GrantHolder {
  readonly workspace: string;
  /** Undefined for a caller that can't have grants. */
  readonly conversation: string | undefined;
}

/** A permission that the person gave. */
export interface Grant {
  readonly id: string;
  readonly lifetime: GrantLifetime;
  readonly scope: GrantScope;
  /** Time of the approval, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly uses: number;
}

/** A key that is equal only for equal scopes. */
export function keyOfScope(scope: GrantScope): string {
  switch (scope.type) {
    case 'edits':
      return JSON.stringify([scope.type]);
    case 'file':
      return JSON.stringify([scope.type, scope.within?.identity, ...placeOf(scope.file)]);
    case 'folder':
      return JSON.stringify([scope.type, scope.identity, ...placeOf(scope.folder)]);
    case 'command':
      return JSON.stringify([scope.type, scope.command, scope.shell, ...placeOf(scope.folder)]);
    case 'tool':
      return JSON.stringify([scope.type, scope.tool, scope.identity]);
  }
}

function placeOf({ scheme, authority, path }: Location): readonly string[] {
  return [scheme, authority, ...segmentsOf(path)];
}

/** The parent folders of a location, nearest first, without the root. */
export function foldersAround(location: Location): readonly Location[] {
  const names = segmentsOf(location.path);
  const depths = names.map((_, index) => names.length - 1 - index).filter((depth) => depth > 0);
  return depths.map((depth) => withSegments(location, names.slice(0, depth)));
}

/**
 * True if a command can be granted for repeated use: it has no quotes and no characters that a
 * shell interprets (threats: T26).
 */
export function isRepeatable(command: string): boolean {
  return /^[A-Za-z0-9 ._/:=@+,-]+$/.test(command) && command.trim() !== '';
}

/** Lifetime of a chat's grant in milliseconds: 8 hours. */
const chatGrantLifetime = 8 * 60 * 60 * 1000;

/** Lifetime of a stored grant in milliseconds: 90 days. */
export const storedGrantLifetime = 90 * 24 * 60 * 60 * 1000;

/**
 * Stores the grants of each workspace where no tool and no repository can write. Each grant is a
 * separate record, keyed by its scope, so that windows don't overwrite each other's grants.
 */
export interface GrantStore {
  read(workspace: string): readonly unknown[];
  /** Replaces one record; undefined removes it. */
  write(workspace: string, key: string, record: unknown): PromiseLike<void>;
}

/** A grant of a chat. */
interface ChatGrant {
  readonly conversation: string;
  grant: Grant;
  /** On the monotonic clock, which cannot be set back but may stop during sleep. */
  readonly monotonic: number;
}

/**
 * The person's grants: for a chat, or permanently for a workspace. A workspace is identified by
 * `workspaceIdentity`, which is empty if nothing can be stored. A caller without a conversation has
 * no grants.
 */
export class Grants {
  readonly #store: GrantStore;
  readonly #clock: Clock;
  /** Major version of the extension, with which stored grants end. */
  readonly #major: string;
  /** Grants of chats by their conversation and scope. */
  readonly #ofChats = new Map<string, ChatGrant>();
  /** Number of times that the grants of all chats, and of each chat, were ended. */
  #ends = 0;
  readonly #endsOfChat = new Map<string, number>();

  constructor(store: GrantStore, clock: Clock, major: string) {
    this.#store = store;
    this.#clock = clock;
    this.#major = major;
  }

  /** Changes when the grants of a chat end. */
  lifeOf(conversation: string | undefined): string {
    return `${this.#ends} ${this.#endsOfChat.get(conversation ?? '') ?? 0}`;
  }

  /** The grant for an offer, if the person has given it before. */
  find({ lifetime, scope }: GrantOffer, holder: GrantHolder): Grant | undefined {
    const { conversation, workspace } = holder;
    if (conversation === undefined) return undefined;
    if (lifetime === 'chat') {
      this.#dropOld();
      return this.#ofChats.get(keyInChat(scope, conversation))?.grant;
    }
    const key = keyOfScope(scope);
    const stored = this.#read(workspace).find(
      (record) => keyOfScope(scopeOfStored(record)) === key,
    );
    return stored === undefined ? undefined : grantOf(stored);
  }

  async add({ lifetime, scope }: GrantOffer, holder: GrantHolder): Promise<void> {
    const { conversation, workspace } = holder;
    if (conversation === undefined) return;
    const [id, since] = [newId(), this.#clock.wall()];
    if (lifetime === 'chat') {
      const grant: Grant = { id, lifetime, scope, since, uses: 0 };
      const monotonic = this.#clock.monotonic();
      this.#ofChats.set(keyInChat(scope, conversation), { conversation, grant, monotonic });
    } else if (workspace !== '') {
      const { command, folder, shell } = scope;
      const major = this.#major;
      await this.#write(workspace, { id, command, folder, shell, since, uses: 0, major });
    }
  }

  /** Counts a call that ran under the grant. */
  async use({ id, lifetime }: Grant, workspace: string): Promise<void> {
    if (lifetime === 'chat') {
      for (const entry of this.#ofChats.values())
        if (entry.grant.id === id) entry.grant = { ...entry.grant, uses: entry.grant.uses + 1 };
      return;
    }
    const stored = this.#read(workspace).find((record) => record.id === id);
    // It may have been revoked in another window.
    if (stored !== undefined) await this.#write(workspace, { ...stored, uses: stored.uses + 1 });
  }

  list(workspace: string): readonly Grant[] {
    this.#dropOld();
    const ofChats = [...this.#ofChats.values()].map(({ grant }) => grant);
    return [...ofChats, ...this.#read(workspace).map(grantOf)];
  }

  hasOfChat(conversation: string): boolean {
    this.#dropOld();
    return [...this.#ofChats.values()].some((entry) => entry.conversation === conversation);
  }

  async revoke({ id, lifetime, scope }: Grant, workspace: string): Promise<void> {
    if (lifetime === 'chat') this.#drop(({ grant }) => grant.id === id);
    else await this.#store.write(workspace, keyOfScope(scope), undefined);
  }

  /**
   * Ends the grants of all chats: called when the key, the service, the folders or the trust
   * change.
   */
  endAll(): void {
    this.#ends += 1;
    this.#endsOfChat.clear();
    this.#ofChats.clear();
  }

  /** Ends the grants of a chat: called when it was closed, or read again. */
  endChat(conversation: string): void {
    this.#endsOfChat.set(conversation, (this.#endsOfChat.get(conversation) ?? 0) + 1);
    this.#drop((entry) => entry.conversation === conversation);
  }

  #dropOld(): void {
    const [wall, now] = [this.#clock.wall(), this.#clock.monotonic()];
    this.#drop(
      ({ grant, monotonic }) =>
        now - monotonic >= chatGrantLifetime || wall - grant.since >= chatGrantLifetime,
    );
  }

  #drop(ends: (entry: ChatGrant) => boolean): void {
    for (const [key, entry] of this.#ofChats) if (ends(entry)) this.#ofChats.delete(key);
  }

  #read(workspace: string): readonly StoredGrant[] {
    if (workspace === '') return [];
    const stored = this.#store.read(workspace).flatMap((record) => readGrantRecord(record) ?? []);
    return stored.filter((grant) => {
      const age = this.#clock.wall() - grant.since;
      // A grant from the future was written by another clock.
      return grant.major === this.#major && age >= 0 && age < storedGrantLifetime;
    });
  }

  async #write(workspace: string, grant: StoredGrant): Promise<void> {
    const key = keyOfScope(scopeOfStored(grant));
    await this.#store.write(workspace, key, { version: recordVersion, grant });
  }
}

function keyInChat(scope: GrantScope, conversation: string): string {
  return JSON.stringify([conversation, keyOfScope(scope)]);
}

const location = z.object({ scheme: z.string(), authority: z.string(), path: z.string() });

const storedGrant = z.object({
  id: z.string(),
  command: z.string(),
  folder: location,
  shell: z.string(),
  since: z.number(),
  uses: z.number(),
  /** Major version of the extension. Grants of another major version are invalid. */
  major: z.string(),
});

type StoredGrant = z.infer<typeof storedGrant>;

const recordVersion = 2;
const grantRecord = z.object({ version: z.literal(recordVersion), grant: storedGrant });

/** Parses the record of a grant; undefined if it is damaged or of another version. */
export function readGrantRecord(stored: unknown): StoredGrant | undefined {
  return grantRecord.safeParse(stored).data?.grant;
}

function scopeOfStored({ command, folder, shell }: StoredGrant): CommandScope {
  return { type: 'command', command, folder, shell };
}

function grantOf(stored: StoredGrant): Grant {
  const { id, since, uses } = stored;
  return { id, lifetime: 'workspace', scope: scopeOfStored(stored), since, uses };
}

/**
 * True if a loaded chat has results of external tools, or text of a chat that has some. Versions that
 * aren't visible count, since the person can choose them again. An imported file may contain anything
 * (threats: T47).
 */
export function isTaintedChat(
  conversation: Conversation,
  isOwn: (tool: string) => boolean,
): boolean {
  if (conversation.importedUsage !== undefined) return true;
  return turnsOfAllPaths(conversation).some((turn) => {
    const ranForeign = turn.parts.some(
      (part) =>
        part.type === 'tool-call' &&
        part.startedAt !== undefined &&
        part.status !== 'denied' &&
        !isOwn(part.name),
    );
    return ranForeign || attachmentsOf(turn).some(({ tainted }) => tainted === true);
  });
}

export interface TaintedChat {
  readonly conversation: Conversation;
  readonly onDidChange: Event<ChatChange>;
}

/** Events that bring text into a chat which another chat may have tainted. */
const bringsText: ReadonlySet<ConversationEvent['type']> = new Set([
  'turn-start',
  'turn-message',
  'turn-import',
  'chat-import',
]);

/**
 * Tells whether text from an external tool or from a network, which the person neither wrote nor
 * read, entered an open chat (threats: T38). From then on, chat grants do not apply to commands and
 * external tools, since such text could make the model misuse them. Only reading a chat can make it
 * clean again; removing a turn is not enough.
 */
export class ChatTaint {
  #isTainted = false;

  get isTainted(): boolean {
    return this.#isTainted;
  }

  /** Called when an external tool was run: even its error may contain external text. */
  noteExternalCall(): void {
    this.#isTainted = true;
  }

  /** Updates the taint with the conversation, now, whenever it is read again, and as text comes in. */
  follow(chat: TaintedChat, isOwn: (tool: string) => boolean): Disposable {
    const isTainted = (): boolean => isTaintedChat(chat.conversation, isOwn);
    this.#isTainted = isTainted();
    return chat.onDidChange((change) => {
      if (change.type === 'replace') this.#isTainted = isTainted();
      else if (bringsText.has(change.event.type)) this.#isTainted ||= isTainted();
    });
  }
}
