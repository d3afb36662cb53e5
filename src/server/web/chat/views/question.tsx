import { useState } from "preact/hooks";
import { sanitize } from "../../../../kit/text/sanitize.ts";
import { chatTexts } from "../state/chat-texts.ts";
import { useSay } from "./page-model.ts";

/** Longer texts are collapsed to their first lines; the limits are in characters and lines. */
const longText = 1200;
const manyLines = 16;

/** Shows what was asked. */
export function Question({ text }: { readonly text: string }) {
  const say = useSay();
  const isLong = text.length > longText || text.split("\n").length > manyLines;
  const [isFolded, setFolded] = useState(isLong);
  return (
    <div class="asked">
      <div class="question" dir="auto" data-folded={isFolded}>
        {sanitize(text)}
      </div>
      {isLong && (
        <button type="button" class="unfold" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          {say(isFolded ? chatTexts.showAll : chatTexts.showLess)}
        </button>
      )}
    </div>
  );
}
