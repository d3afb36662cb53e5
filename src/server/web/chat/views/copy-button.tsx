import { useState } from "preact/hooks";
import { words } from "../../markdown/inline.ts";
import { Icon } from "./icon.tsx";
import { useSay } from "./page-model.ts";

export interface CopyProps {
  textOf(): string;
}

/** Copies a text. There is none where the browser has no clipboard for this page, as on one that came without encryption. */
export function CopyButton({ textOf }: CopyProps) {
  const say = useSay();
  const [word, setWord] = useState<"copy" | "copied" | "notCopied">("copy");
  if (navigator.clipboard === undefined) return null;
  const copy = (): void => {
    navigator.clipboard.writeText(textOf()).then(
      () => setWord("copied"),
      () => setWord("notCopied"),
    );
  };
  return (
    <button
      type="button"
      class="copy plain"
      aria-label={say(words[word])}
      title={say(words[word])}
      onClick={copy}
      onBlur={() => setWord("copy")}
    >
      <Icon name={word === "copied" ? "check" : "copy"} />
    </button>
  );
}
