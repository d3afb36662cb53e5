import { ignoreRejection } from "../../../../kit/async/ignore-rejection.ts";
import { type Locale, say, type Text } from "../../../../kit/locale.ts";
import type { PickOptions, Reader } from "../../../questions/reader.ts";
import { createEditor } from "../../../terminal/editor/create-editor.ts";
import { createHistory } from "../../../terminal/editor/input-history.ts";
import type { Line } from "../../../terminal/text/line.ts";
import type { ChatHandler } from "../chat-interface.ts";
import { createPicker, type Panel } from "./picker.ts";

/** Shows questions at the bottom of the screen, one at a time, until they are answered or left. */
export interface QuestionPanels {
  /** Is the panel that is shown, and undefined when none is. */
  readonly panel: Panel | undefined;
  ask: Reader["ask"];
  pick: NonNullable<Reader["pick"]>;
  /** Settles when no question stands there. Never rejects. */
  free(): Promise<void>;
  /** Ends all questions because nobody is left to answer. */
  close(): void;
}

export interface QuestionPanelsOptions {
  handler: Pick<ChatHandler, "locale">;
  /** Is called when a question has come, changed or gone. */
  onChange(): void;
  /** Is true when a question would now appear without the reader's request. */
  isRunShown(): boolean;
  /**
   * Receives the question and its reply as a line that stays on the screen. It is not called for a list that was requested and
   * then left.
   */
  onReply(line: Line): void;
}

/** Holds a reply, and the words that stay on the screen for it. */
interface PanelReply<T> {
  value: T;
  said: string;
}

export function createQuestionPanels({
  handler,
  onChange,
  isRunShown,
  onReply,
}: QuestionPanelsOptions): QuestionPanels {
  let panel: Panel | undefined;
  let leave: (() => void) | undefined;
  let hasEnded = false;
  /** Settles when the last question is over, so that the next one can be shown. */
  let before: Promise<unknown> = Promise.resolve();

  /** Shows a panel until it is done, is left, or the signal aborts, which rejects. What came of it stays on the screen. */
  async function showPanel<T>(
    query: string,
    open: (done: (reply: PanelReply<T> | undefined) => void) => Panel,
    signal: AbortSignal,
  ): Promise<T | undefined> {
    signal.throwIfAborted();
    if (hasEnded) return undefined;
    const { promise, resolve, reject } = Promise.withResolvers<PanelReply<T> | undefined>();
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    leave = () => resolve(undefined);
    panel = open((said) => {
      // Keys that come with the one that answered are no answers any more.
      panel = undefined;
      resolve(said);
    });
    onChange();
    let reply: PanelReply<T> | undefined;
    try {
      reply = await promise;
      return reply?.value;
    } finally {
      signal.removeEventListener("abort", stop);
      panel = undefined;
      leave = undefined;
      onChange();
      if (reply || isRunShown())
        onReply([
          { text: `${query.trimEnd()} `, styles: ["dim"] },
          { text: reply?.said ?? say(handler.locale, notAnswered), styles: ["strong"] },
        ]);
    }
  }

  function queueQuestion<T>(work: () => Promise<T>): Promise<T> {
    const mine = before.then(work);
    before = ignoreRejection(mine, "whoever asked that question sees its failure");
    return mine;
  }

  return {
    get panel() {
      return panel;
    },
    ask: (query, signal) =>
      queueQuestion(() =>
        showPanel<string>(
          query,
          (onDone) => createTextPanel(query, { onDone, onChange, locale: handler.locale }),
          signal,
        ),
      ),
    pick<T>(picking: PickOptions<T>, signal: AbortSignal) {
      const { locale } = handler;
      const open = (done: (reply: PanelReply<T> | undefined) => void): Panel =>
        createPicker({
          picking,
          locale,
          onDone: (choice) => done(choice && { value: choice.value, said: choice.label }),
        });
      return queueQuestion(() => showPanel<T>(picking.title, open, signal));
    },
    async free() {
      for (let last: unknown; last !== before; ) {
        last = before;
        await last;
      }
    },
    close() {
      hasEnded = true;
      leave?.();
    },
  };
}

const notAnswered: Text = { zh: "（未回答）", en: "(not answered)" };

function createTextPanel(
  query: string,
  {
    onDone,
    onChange,
    locale,
  }: { onDone: (reply: PanelReply<string> | undefined) => void; onChange: () => void; locale: Locale },
): Panel {
  const editor = createEditor({
    complete: async () => undefined,
    history: createHistory(),
    onChange,
    locale: () => locale,
  });
  return {
    press(key) {
      if (key.name === "escape" && editor.text === "") {
        onDone(undefined);
        return true;
      }
      const pressed = editor.press(key);
      if (pressed.result === "submit") onDone({ value: pressed.text, said: pressed.text });
      return pressed.result !== "unused";
    },
    view: (size) => editor.view(query, size),
  };
}
