import { toShortLine } from "../../../../../kit/text/sanitize.ts";
import { renderFileNames, turnTexts } from "../../state/turn-texts.ts";
import { listUnsent } from "../../state/unsent.ts";
import { Icon } from "../controls/icon.tsx";
import { usePage, useSay } from "../page-model.ts";

/** Shows what the server did not take of this conversation. It can be sent again or written anew. */
export function UnsentTexts() {
  const { chat, actions } = usePage();
  const say = useSay();
  const unsent = listUnsent(chat.value);
  if (unsent.length === 0) return null;
  return (
    <ul class="queue unsent" aria-label={say(turnTexts.unsent)}>
      {unsent.map((each) => (
        <li key={each.key}>
          <span dir="auto">{toShortLine(each.text, 120) + renderFileNames(each.files)}</span>
          <button type="button" class="plain" onClick={() => actions.resend(each)}>
            {say(turnTexts.sendAgain)}
          </button>
          <button
            type="button"
            class="plain"
            aria-label={say(turnTexts.withdraw)}
            title={say(turnTexts.withdraw)}
            onClick={() => actions.takeBack(each)}
          >
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
