/**
 * Decides what is sent of an answer that cannot be taken back. An answer that begins anew goes on only while it says again what was
 * sent.
 */
export interface SentText {
  /** Returns what is to be sent of the next piece of the answer. */
  push(text: string): string;
  /** Begins to compare: what follows is the whole answer again. */
  restart(): void;
  /** Is true when the answer has ended otherwise than what was sent, so that its reader has only a part of it. */
  isCut(): boolean;
}

export function createSentText(): SentText {
  let sent = "";
  let again: string | undefined;
  let hasChanged = false;
  return {
    push(text) {
      if (hasChanged) return "";
      if (again === undefined) {
        sent += text;
        return text;
      }
      again += text;
      if (sent.startsWith(again)) return "";
      hasChanged = !again.startsWith(sent);
      if (hasChanged) return "";
      const rest = again.slice(sent.length);
      sent = again;
      again = undefined;
      return rest;
    },
    restart() {
      again = "";
    },
    isCut: () => hasChanged || (again !== undefined && again !== sent),
  };
}
