import { sanitizeLine, toShortLine } from "../../../../../kit/text/sanitize.ts";
import { renderFileNames, turnTexts } from "../../state/turn-texts.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";

/** Shows the questions that are asked when the run has ended. One that is taken back can be written anew. */
export function Queue() {
  const { chat, actions } = usePage();
  const say = useSay();
  const waiting = chat.value.queue.filter(({ runId }) => runId === "");
  if (waiting.length === 0) return null;
  return (
    <ol class="queue" aria-label={say(turnTexts.waiting)}>
      {waiting.map((each) => (
        <li key={each.id}>
          <span dir="auto">{toShortLine(each.message, 120) + renderFileNames(each.files)}</span>
          {each.problem !== "" && (
            <>
              <span class="queue-problem" role="status" title={sanitizeLine(each.problem)}>
                {toShortLine(each.problem, 200)}
              </span>
              <button type="button" class="plain" onClick={() => actions.requeue(each)}>
                {say(turnTexts.tryQueued)}
              </button>
            </>
          )}
          <button
            type="button"
            class="plain"
            aria-label={say(turnTexts.withdraw)}
            title={say(turnTexts.withdraw)}
            onClick={() => actions.withdraw(each)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ol>
  );
}
