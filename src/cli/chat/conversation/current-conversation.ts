import type { Duet } from "../../../app/duet.ts";
import type { Config } from "../../../config/config.ts";
import { firstBranch } from "../../../core/store/conversations/branches.ts";
import type { ChatConversation, ChatSettings } from "../chat.ts";
import type { ChatInterface } from "../interface/chat-interface.ts";
import type { Offers } from "../offers.ts";
import type { StatusLine } from "../status/status-line.ts";
import type { StepLog } from "../steps/step.ts";
import { type KeptChoices, openConversation, restoreChoices, showChosen } from "./open-conversation.ts";

/** Follows in which conversation a chat goes on. */
export interface CurrentConversation extends ChatConversation {
  /**
   * Goes on with the conversation with which the chat begins, and shows how it ended. Returns false of an ID that nobody has, under which
   * the first question then begins one. Rejects at a stop.
   */
  enterChosen(id: string, keeps: KeptChoices | undefined, signal: AbortSignal): Promise<boolean>;
  /** Follows a run that has begun, which may have begun the conversation as well. */
  handleRunStart(event: { conversationId: string; runId: string }): void;
}

export interface CurrentConversationOptions {
  /** Is undefined where a new one begins. */
  id: string | undefined;
  duet: Duet;
  config: Config;
  settings: ChatSettings;
  steps: StepLog;
  chatInterface: ChatInterface;
  offers: Offers;
  status: Pick<StatusLine, "refresh">;
  /** Redraws all that depends on the mode and the models. */
  refresh(): void;
}

export function createCurrentConversation(options: CurrentConversationOptions): CurrentConversation {
  const { duet, config, settings, steps, chatInterface, offers, status, refresh } = options;
  const shownIn = { duet, settings, steps, offers };
  let { id } = options;
  /** Is undefined until the conversation is opened: it goes on where it was asked last. */
  let branch: number | undefined;
  let runId: string | undefined;

  function moveTo(place: { conversationId: string; branch: number }): void {
    ({ conversationId: id, branch } = place);
    runId = undefined;
    offers.drop();
    refresh();
  }

  /** Returns what opening a conversation calls: where a person types, the chat goes on in its mode and with its models. */
  function createEnter(
    conversationId: string,
    restoring: { keeps?: KeptChoices | undefined; signal: AbortSignal },
  ): (branch: number) => Promise<string[]> {
    return async (at) => {
      const place = { conversationId, branch: at };
      const lines = chatInterface.reader ? await restoreChoices(shownIn, place, restoring) : [];
      moveTo(place);
      return lines;
    };
  }

  function startAnew(): void {
    if (id !== undefined) duet.forget(id);
    id = undefined;
    branch = undefined;
    offers.drop();
    status.refresh();
  }

  return {
    get id() {
      return id;
    },
    get branch() {
      return branch;
    },
    get runId() {
      return runId;
    },
    startAnew,
    leaveForSwitch() {
      const isKept = config.agent.keepHistory;
      const [left, leftBranch] = [id, branch];
      // The history stays or goes; what was found and agreed to goes with the mode or the model.
      if (isKept && left !== undefined) duet.forget(left);
      if (!isKept) startAnew();
      return {
        isKept,
        offer() {
          if (!isKept && left !== undefined)
            offers.make({ command: "/keep", conversationId: left, branch: leftBranch });
        },
      };
    },
    keepHistory() {
      const { offer } = offers;
      if (offer?.command !== "/keep") return false;
      ({ conversationId: id, branch } = offer);
      offers.drop();
      status.refresh();
      return true;
    },
    resume(wanted, signal) {
      return openConversation(shownIn, chatInterface, wanted, { enter: createEnter(wanted, { signal }), signal });
    },
    async goTo(place, signal) {
      const lines = await restoreChoices(shownIn, place, { signal });
      if (id !== undefined) duet.forget(id);
      moveTo(place);
      return lines;
    },
    enterChosen(chosen, keeps, signal) {
      return showChosen(shownIn, chatInterface, chosen, { enter: createEnter(chosen, { keeps, signal }), signal });
    },
    handleRunStart(event) {
      if (event.conversationId !== id) branch = firstBranch;
      ({ conversationId: id, runId } = event);
    },
  };
}
