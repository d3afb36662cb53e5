import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { ReviewLine } from "../../../../../render/questions/review-lines.ts";
import type { ReviewPart } from "../../../parts/part-shapes.ts";
import type { OpenQuestion } from "../../api/question.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import { usePage, useSay } from "../page-model.ts";

/** Counts the lines that are put on the page at a time. */
const mostLines = 1000;

export interface CallReviewProps {
  readonly question: OpenQuestion;
  /**
   * Holds the arguments as they are, which stand there until what compares texts has been loaded, and where there is nothing to
   * compare.
   */
  readonly json: string;
}

/** Shows what a call would do: a change of a text by its lines, other arguments as they are. */
export function CallReview({ question, json }: CallReviewProps) {
  const { locale, parts } = usePage();
  const say = useSay();
  const [part, setPart] = useState<ReviewPart | undefined>(undefined);
  const [isUnlimited, setUnlimited] = useState(false);
  const [most, setMost] = useState(mostLines);
  useEffect(() => parts.useReview((loaded) => setPart(() => loaded)), []);
  const box = useRef<HTMLDivElement>(null);
  const { tool, arguments: args } = question;
  const review = useMemo(
    () => part?.reviewCall({ tool, arguments: args }, locale.value, isUnlimited),
    [part, question.id, locale.value, isUnlimited],
  );
  if (review === undefined)
    return (
      // It scrolls, also by keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard
      <pre class="arguments" tabIndex={0}>
        {json}
      </pre>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a part that scrolls is reached by the keyboard */}
      {/* biome-ignore lint/a11y/useSemanticElements: a set of fields would be a part of a form */}
      <div class="review" role="group" aria-label={say(turnTexts.review)} tabIndex={0} dir="ltr" ref={box}>
        {review.lines.slice(0, most).map((line, index) => (
          <Line key={index} line={line} />
        ))}
      </div>
      {!review.isWhole && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setUnlimited(true);
            box.current?.focus();
          }}
        >
          {say(turnTexts.showWhole)}
        </button>
      )}
      {review.lines.length > most && (
        <button
          type="button"
          class="more"
          onClick={() => {
            setMost(most + mostLines);
            box.current?.focus();
          }}
        >
          {say({
            zh: `再显示 ${mostLines} 行（共 ${review.lines.length} 行）`,
            en: `Show ${mostLines} more lines (of ${review.lines.length})`,
          })}
        </button>
      )}
    </>
  );
}

/** The sign says what becomes of a line to those who see it, and a word to those who hear it. */
function Line({ line: { role, gutter, text } }: { readonly line: ReviewLine }) {
  const say = useSay();
  return (
    <div class="review-line" data-role={role}>
      <span class="gutter" aria-hidden="true">
        {gutter.replace("│", "")}
      </span>
      <span>
        {(role === "added" || role === "removed") && <span class="visually-hidden">{say(turnTexts[role])} </span>}
        {text}
      </span>
    </div>
  );
}
