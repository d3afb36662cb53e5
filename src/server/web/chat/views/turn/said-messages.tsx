import { sanitize } from "../../../../../kit/text/sanitize.ts";
import type { RunView } from "../../../run/run-view.ts";
import type { Turn } from "../../state/chat-state.ts";
import { listSaid } from "../../state/said-messages.ts";
import { turnTexts } from "../../state/turn-texts.ts";
import { usePage, useSay } from "../page-model.ts";

/** Shows what was said to the run of a turn, as it is shown what was asked. */
export function SaidMessages({ turn, view }: { readonly turn: Turn; readonly view: RunView }) {
  const { unsent } = usePage();
  const say = useSay();
  const said = listSaid(turn, view, unsent.value);
  if (said.length === 0) return null;
  return (
    <ul class="said" aria-label={say(turnTexts.said)}>
      {said.map(({ text, isRead }, index) => (
        <li key={index}>
          <div class="question" dir="auto">
            {sanitize(text)}
          </div>
          {!isRead && <span class="facts">{say(turnTexts.notRead)}</span>}
        </li>
      ))}
    </ul>
  );
}
