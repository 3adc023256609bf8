import { ChatTaint } from '../../core/approval/taint.ts';
import { disposeAll, type Disposable } from '../../core/support/event.ts';
import type { ToolChat, ToolChats } from './toolChats.ts';

interface FollowedTaint {
  readonly taint: ChatTaint;
  readonly following: Disposable;
}

/** The taint of each open chat: no chat taints another one (threats: T38). */
export class ChatTaints implements Disposable {
  readonly #chats: ToolChats;
  readonly #isOwn: (tool: string) => boolean;
  readonly #taints = new Map<ToolChat, FollowedTaint>();
  readonly #listening: readonly Disposable[];

  /** @param isOwn returns true for Aside's own tools */
  constructor(chats: ToolChats, isOwn: (tool: string) => boolean) {
    this.#chats = chats;
    this.#isOwn = isOwn;
    for (const open of chats.all) this.#follow(open);
    this.#listening = [
      chats.onDidOpen((open) => this.#follow(open)),
      chats.onDidClose((open) => {
        this.#taints.get(open)?.following.dispose();
        this.#taints.delete(open);
      }),
    ];
  }

  /** True if the chat of a call is tainted. A caller without a chat has no grants anyway. */
  isTainted(conversation: string | undefined): boolean {
    return this.#of(conversation)?.isTainted === true;
  }

  noteExternalCall(conversation: string | undefined): void {
    this.#of(conversation)?.noteExternalCall();
  }

  dispose(): void {
    disposeAll(this.#listening);
    for (const { following } of this.#taints.values()) following.dispose();
  }

  #of(conversation: string | undefined): ChatTaint | undefined {
    const open = conversation === undefined ? undefined : this.#chats.ofConversation(conversation);
    return open && this.#taints.get(open)?.taint;
  }

  #follow(open: ToolChat): void {
    const taint = new ChatTaint();
    const following = taint.follow(open, this.#isOwn);
    this.#taints.set(open, { taint, following });
  }
}
