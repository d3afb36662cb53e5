import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sanitize } from "../../../../../kit/text/sanitize.ts";
import type { Turn } from "../../state/chat-state.ts";
import { chatTexts } from "../../state/chat-texts.ts";
import { isPlaced, listEdits } from "../../state/talk-tree.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import { isPlainEnter } from "../composer/composer.tsx";
import { FileChip } from "../composer/file-chip.tsx";
import { CopyButton } from "../controls/copy-button.tsx";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";
import { VersionArrows } from "./version-arrows.tsx";

/** Longer texts are collapsed to their first lines; the limits are in characters and lines. */
const longText = 1200;
const manyLines = 16;

/** Shows what was asked, and lets it be asked in other words. */
export function Question({ turn }: { readonly turn: Turn }) {
  const { isGoing, tree } = usePage();
  const say = useSay();
  const { question: text } = turn.run;
  const isLong = text.length > longText || text.split("\n").length > manyLines;
  const [isFolded, setFolded] = useState(isLong);
  const [isEditing, setEditing] = useState(false);
  if (isEditing) return <QuestionEditor turn={turn} close={() => setEditing(false)} />;
  return (
    <div class="asked">
      {turn.files.length > 0 && (
        <ul class="files">
          {turn.files.map((file) => (
            <FileChip key={file.name} file={file} />
          ))}
        </ul>
      )}
      <div class="question" dir="auto" data-folded={isFolded}>
        {sanitize(text)}
      </div>
      {isLong && (
        <button type="button" class="unfold" aria-expanded={!isFolded} onClick={() => setFolded(!isFolded)}>
          {say(isFolded ? chatTexts.showAll : chatTexts.showLess)}
        </button>
      )}
      <div class="question-actions">
        {turn.node && <VersionArrows versions={listEdits(tree.value, turn.node)} of={say(turnTexts.edits)} />}
        <CopyButton textOf={() => text} label={turnTexts.copyQuestion} />
        {!isGoing.value && isPlaced(turn) && (
          <button
            type="button"
            class="plain edit"
            aria-label={say(turnTexts.edit)}
            title={say(turnTexts.edit)}
            onClick={() => setEditing(true)}
          >
            <Icon name="pen" />
          </button>
        )}
      </div>
    </div>
  );
}

interface EditorProps {
  readonly turn: Turn;
  close(): void;
}

function QuestionEditor({ turn, close }: EditorProps) {
  const { actions } = usePage();
  const say = useSay();
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const { current } = field;
    current?.focus();
    current?.setSelectionRange(current.value.length, current.value.length);
  }, []);
  const send = (): void => {
    const text = field.current?.value.trim() ?? "";
    if (text === "") field.current?.focus();
    else if (actions.askInstead(turn, text)) close();
  };
  return (
    <form
      class="asked editing"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <textarea
        ref={field}
        class="edit-question"
        dir="auto"
        rows={3}
        aria-label={say(turnTexts.edit)}
        defaultValue={turn.run.question}
        onKeyDown={(event) => {
          if (isPlainEnter(event)) {
            event.preventDefault();
            send();
          }
          if (event.key !== "Escape" || event.isComposing) return;
          event.stopPropagation();
          close();
        }}
      />
      <div class="actions">
        <button type="button" onClick={close}>
          {say(turnTexts.cancel)}
        </button>
        <button type="submit" class="primary">
          {say(turnTexts.resend)}
        </button>
      </div>
    </form>
  );
}
