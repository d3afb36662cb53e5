import { useRef, useState } from "preact/hooks";
import { longestComment } from "../../../../../core/store/feedback.ts";
import type { RunView } from "../../../run/run-view.ts";
import type { Feedback } from "../../api/conversation.ts";
import type { Turn } from "../../state/chat-state.ts";
import { isPlaced, listAnswers } from "../../state/talk-tree.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import { CopyButton, copyText } from "../controls/copy-button.tsx";
import { Icon, type IconName } from "../controls/icon.tsx";
import { Menu } from "../controls/menu.tsx";
import { usePage, useSay } from "../page-model.ts";
import { VersionArrows } from "./version-arrows.tsx";

export interface AnswerActionsProps {
  readonly turn: Turn;
  readonly view: RunView;
}

/** Shows what can be done with an answer. */
export function AnswerActions({ turn, view }: AnswerActionsProps) {
  const { isGoing, tree, actions } = usePage();
  const say = useSay();
  const bar = useRef<HTMLDivElement>(null);
  const readMarkdown = (): string => turn.run.outcome?.response || view.answer;
  const code = listCode(view.answer);
  // What it looks like counts here, with its line breaks and without what is hidden.
  const readWords = (): string =>
    // biome-ignore lint/performance/useDomNodeTextContent: the text content has no line breaks between blocks
    bar.current?.closest(".run")?.querySelector<HTMLElement>(".answer .words")?.innerText ?? "";
  return (
    <div class="copying" ref={bar}>
      {turn.node && <VersionArrows versions={listAnswers(tree.value, turn.node)} of={say(turnTexts.answers)} />}
      <CopyButton textOf={readMarkdown} />
      {navigator.clipboard && (
        <Menu
          label={say(turnTexts.copyAs)}
          icon="down"
          items={[
            { label: say(turnTexts.copyMarkdown), act: () => copyText(readMarkdown()) },
            { label: say(turnTexts.copyPlain), act: () => copyText(readWords()) },
            ...(code === "" ? [] : [{ label: say(turnTexts.copyCode), act: () => copyText(code) }]),
          ]}
        />
      )}
      {!isGoing.value && isPlaced(turn) && (
        <button
          type="button"
          class="plain regenerate"
          aria-label={say(turnTexts.regenerate)}
          title={say(turnTexts.regenerate)}
          onClick={() => actions.askInstead(turn, turn.run.question)}
        >
          <Icon name="again" />
        </button>
      )}
      {turn.run.runId && (
        <>
          <RateButton turn={turn} rating="up" icon="good" />
          <RateButton turn={turn} rating="down" icon="bad" />
          {turn.rating && <CommentField key={turn.rating} turn={turn} />}
        </>
      )}
    </div>
  );
}

interface RateProps {
  readonly turn: Turn;
  readonly rating: Feedback;
  readonly icon: IconName;
}

function RateButton({ turn, rating, icon }: RateProps) {
  const { actions } = usePage();
  const say = useSay();
  const isChosen = turn.rating === rating;
  return (
    <button
      type="button"
      class="plain rate"
      aria-label={say(turnTexts[rating])}
      title={say(turnTexts[rating])}
      aria-pressed={isChosen}
      onClick={() => actions.rate(turn, isChosen ? undefined : rating)}
    >
      <Icon name={icon} />
    </button>
  );
}

/** Takes words about an answer that has been rated. */
function CommentField({ turn }: { readonly turn: Turn }) {
  const { actions } = usePage();
  const say = useSay();
  const field = useRef<HTMLInputElement>(null);
  const [isKept, setKept] = useState(false);
  if (isKept) return <span role="status">{say(turnTexts.commented)}</span>;
  return (
    <form
      class="comment"
      onSubmit={(event) => {
        event.preventDefault();
        const text = field.current?.value.trim() ?? "";
        if (text === "") field.current?.focus();
        else void actions.comment(turn, text).then(setKept);
      }}
    >
      <input
        ref={field}
        type="text"
        maxLength={longestComment}
        aria-label={say(turnTexts.comment)}
        placeholder={say(turnTexts.comment)}
      />
      <button type="submit" class="plain">
        {say(turnTexts.sendComment)}
      </button>
    </form>
  );
}

/** Returns the code blocks of an answer, without the words between them. */
export function listCode(markdown: string): string {
  const blocks = markdown.matchAll(/^ {0,3}(`{3,}|~{3,})[^\n]*\n([\s\S]*?)(?:^ {0,3}\1[`~]*[ \t]*$|$(?![\s\S]))/gm);
  return [...blocks].map(([, , code = ""]) => code.trimEnd()).join("\n\n");
}
