import { useState } from "preact/hooks";
import { ignoreRejection } from "../../../../../kit/async/ignore-rejection.ts";
import type { Text } from "../../../../../kit/locale.ts";
import { words } from "../../../markdown/inline.ts";
import { useSay } from "../page-model.ts";
import { Icon } from "./icon.tsx";

export interface CopyProps {
  textOf(): string;
  /** Says what is copied, where that is not the answer. */
  readonly label?: Text;
}

/** Copies a text. There is none where the browser has no clipboard for this page, as on one that came without encryption. */
export function CopyButton({ textOf, label }: CopyProps) {
  const say = useSay();
  const [word, setWord] = useState<"copy" | "copied" | "notCopied">("copy");
  if (navigator.clipboard === undefined) return null;
  const copy = (): void => {
    navigator.clipboard.writeText(textOf()).then(
      () => setWord("copied"),
      () => setWord("notCopied"),
    );
  };
  const shown = say(word === "copy" ? (label ?? words.copy) : words[word]);
  return (
    <button
      type="button"
      class="copy plain"
      aria-label={shown}
      title={shown}
      data-word={word}
      onClick={copy}
      onBlur={() => setWord("copy")}
    >
      <Icon name={word === "copied" ? "check" : "copy"} />
    </button>
  );
}

export function copyText(text: string): void {
  void ignoreRejection(navigator.clipboard.writeText(text), "a browser that refuses the clipboard says so itself");
}
